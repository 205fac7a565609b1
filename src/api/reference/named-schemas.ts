import type * as z from "zod";
import type { Operation } from "../../calls/define-operation.ts";
import { explainer, type Io, type JsonSchema, nameIn, readSchema, withoutPath } from "./operation-schemas.ts";

/** Schemas with a name, by it: `Run`, `Tool`, `Agent`. A schema of an operation refers to them. */
export type NamedSchemas = Record<string, JsonSchema>;

/** As `bodySchemaOf`, with references; adds the schemas that it refers to. */
export const namedBodySchemaOf = (operation: Operation, known: NamedSchemas): JsonSchema =>
  withoutPath(operation, namedSchema(operation.input, "input", known));

/** As `answerSchemaOf`, with references; adds the schemas that it refers to. */
export const namedAnswerSchemaOf = (operation: Operation, known: NamedSchemas): JsonSchema =>
  namedSchema(operation.output, "output", known);

function namedSchema(schema: z.ZodType, io: Io, known: NamedSchemas): JsonSchema {
  const { root, named } = readSchema(schema, io);
  const explain = explainer(io, (each) =>
    each.$ref === undefined ? each : { ...each, $ref: `#/components/schemas/${nameIn(each.$ref)}` },
  );
  for (const [name, each] of Object.entries(named)) addTo(known, name, explain(each));
  return withDiscriminator(explain(root), named);
}

function addTo(known: NamedSchemas, name: string, schema: JsonSchema): void {
  const other = known[name];
  if (other && JSON.stringify(other) !== JSON.stringify(schema)) throw new Error(`Two schemas are called ${name}.`);
  known[name] = schema;
}

/** Says which member tells the alternatives apart, if one does. */
function withDiscriminator(schema: JsonSchema, named: Record<string, JsonSchema>): JsonSchema {
  const { anyOf = [], ...rest } = schema;
  const shapes = anyOf.map(({ $ref }) => named[nameIn($ref)] ?? {});
  const valuesOf = (shape: JsonSchema, member: string): string[] => {
    const { $ref, enum: words, const: word } = shape.properties?.[member] ?? {};
    if ($ref !== undefined) return named[nameIn($ref)]?.enum ?? [];
    return words ?? (typeof word === "string" ? [word] : []);
  };
  const tellsApart = (member: string): boolean => {
    const values = shapes.map((shape) => valuesOf(shape, member));
    return values.every(({ length }) => length > 0) && new Set(values.flat()).size === values.flat().length;
  };
  const propertyName = Object.keys(shapes[0]?.properties ?? {}).find(tellsApart);
  if (propertyName === undefined || shapes.length < 2) return schema;
  const mapping = anyOf.flatMap(({ $ref = "" }, index) =>
    valuesOf(shapes[index] ?? {}, propertyName).map((value): [string, string] => [value, $ref]),
  );
  return { ...rest, oneOf: anyOf, discriminator: { propertyName, mapping: Object.fromEntries(mapping) } };
}
