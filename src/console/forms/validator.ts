import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import { ErrorSchemaBuilder, type RJSFSchema, type ValidatorType } from "@rjsf/utils";

/**
 * Checks values against a schema without generating code: the page's policy forbids `eval`. Patterns are left to the server, whose
 * matcher is linear; one that backtracks would freeze the page.
 */
export const validator: ValidatorType<unknown, RJSFSchema> = {
  validateFormData(formData, schema) {
    const builder = new ErrorSchemaBuilder();
    const errors = mistakesIn(schema, formData).map(({ path, sentence }) => {
      builder.addErrors(sentence, path);
      return { stack: sentence, message: sentence, property: `.${path.join(".")}` };
    });
    return { errors, errorSchema: builder.ErrorSchema };
  },
  isValid(schema, formData, rootSchema) {
    const defs = rootSchema.$defs ?? rootSchema.definitions;
    return mistakesIn(defs ? { ...schema, $defs: defs, definitions: defs } : schema, formData).length === 0;
  },
  rawValidation(schema, formData) {
    return { errors: mistakesIn(schema, formData) as never[] };
  },
};

export interface Mistake {
  path: string[];
  sentence: string;
}

/** Every mistake at the place where a person corrects it: a missing member counts for that member. */
export function mistakesIn(schema: RJSFSchema, value: unknown): Mistake[] {
  try {
    const { errors } = new Validator(withoutPatterns(schema) as Schema, "2020-12", false).validate(asJson(value));
    return errors.filter(({ keyword }) => !summaries.has(keyword)).map(toMistake);
  } catch {
    // A schema that cannot be read is the server's to judge.
    return [];
  }
}

/** Keywords that only say that something inside of them is wrong. */
const summaries = new Set([
  "properties",
  "items",
  "prefixItems",
  "additionalProperties",
  "allOf",
  "$ref",
  "then",
  "else",
  "if",
]);

function toMistake({ keyword, instanceLocation, error }: OutputUnit): Mistake {
  const path = instanceLocation
    .split("/")
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
  const quoted = /"([^"]+)"/.exec(error)?.[1];
  if (keyword === "required" && quoted !== undefined) return { path: [...path, quoted], sentence: "This is needed." };
  return { path, sentence: sentences[keyword] ?? error };
}

const sentences: Record<string, string> = {
  type: "This has the wrong kind of value.",
  enum: "Choose one of the offered values.",
  const: "Only one value is allowed here.",
  minLength: "This is too short.",
  maxLength: "This is too long.",
  minimum: "This is too small.",
  maximum: "This is too large.",
  exclusiveMinimum: "This is too small.",
  exclusiveMaximum: "This is too large.",
  minItems: "The list is too short.",
  maxItems: "The list is too long.",
  format: "This is not written in the expected form.",
};

const asJson = (value: unknown): unknown => (value === undefined ? {} : JSON.parse(JSON.stringify(value)));

/** Removes `pattern` everywhere, but not a property that has this name. */
function withoutPatterns(schema: unknown, isNames = false): unknown {
  if (Array.isArray(schema)) return schema.map((part) => withoutPatterns(part));
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => isNames || (name !== "pattern" && name !== "patternProperties" && name !== "$schema"))
      .map(([name, part]) => [
        name,
        name === "enum" || name === "const" || name === "default" || name === "examples"
          ? part
          : withoutPatterns(part, !isNames && (name === "properties" || name === "$defs" || name === "definitions")),
      ]),
  );
}
