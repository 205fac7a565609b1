import * as z from "zod";
import type { Operation } from "../../calls/define-operation.ts";
import { fieldMeanings } from "./field-meanings.ts";

/** The part of JSON Schema that our schemas use. */
export interface JsonSchema {
  type?: string | string[];
  description?: string;
  format?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  enum?: string[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
}

/** The members of an operation that are in its path. */
export const namesInPath = (operation: Operation): string[] =>
  [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);

/** The body without the members in the path. */
export const bodySchemaOf = (operation: Operation): JsonSchema =>
  withoutPath(operation, jsonSchema(operation.input, "input"));

export function withoutPath(operation: Operation, schema: JsonSchema): JsonSchema {
  const { required = [], properties = {}, ...rest } = schema;
  const inPath = namesInPath(operation);
  const stillRequired = required.filter((name) => !inPath.includes(name));
  return {
    ...rest,
    properties: withoutKeys(properties, inPath),
    ...(stillRequired.length > 0 ? { required: stillRequired } : {}),
  };
}

export const exampleBodyOf = (operation: Operation): Record<string, unknown> =>
  withoutKeys(operation.example as Record<string, unknown>, namesInPath(operation));

export const answerSchemaOf = (operation: Operation): JsonSchema => jsonSchema(operation.output, "output");

/** Whether a path is reserved for a later release: it always returns a problem. */
export const isReserved = (operation: Operation): boolean => operation.reserved === true;

export type Io = "input" | "output";
type Explain = (schema: JsonSchema) => JsonSchema;

/** The schema, and the named ones that it refers to: those whose metadata has an `id`. */
export function readSchema(schema: z.ZodType, io: Io): { root: JsonSchema; named: Record<string, JsonSchema> } {
  const { $schema: _, $defs: named = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return { root: root as JsonSchema, named: named as Record<string, JsonSchema> };
}

export const nameIn = ($ref = ""): string => $ref.slice($ref.lastIndexOf("/") + 1);

/** The schema, with the named ones written out where they are used. */
function jsonSchema(schema: z.ZodType, io: Io): JsonSchema {
  const { root, named } = readSchema(schema, io);
  const writtenOut = (each: JsonSchema): JsonSchema => {
    const { $ref, ...beside } = each;
    return $ref === undefined ? each : { ...named[nameIn($ref)], ...beside };
  };
  const explain = explainer(io, writtenOut);
  return explain(root);
}

/**
 * Adds descriptions to members. `resolve` looks at each schema first: what it returns is explained, unless it is a reference.
 * A response may gain members later, so no schema of a response forbids others.
 */
export function explainer(io: Io, resolve: Explain): Explain {
  const explainMember = ([name, member]: [string, JsonSchema]): [string, JsonSchema] => {
    const description = descriptionOf(member, resolve) ?? fieldMeanings[name];
    return [name, { ...explain(member), ...(description === undefined ? {} : { description }) }];
  };
  const explain: Explain = (schema) => {
    const resolved = resolve(schema);
    if (resolved.$ref !== undefined) return resolved;
    const { properties, items, anyOf, oneOf, additionalProperties, minimum, maximum, ...rest } = resolved;
    const others = typeof additionalProperties === "object" ? explain(additionalProperties) : additionalProperties;
    const alternatives = anyOf ?? oneOf;
    return {
      ...rest,
      ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
      ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
      ...(properties ? { properties: Object.fromEntries(Object.entries(properties).map(explainMember)) } : {}),
      ...(items ? { items: explain(items) } : {}),
      ...(alternatives ? { anyOf: alternatives.map(explain) } : {}),
      ...(others === undefined || (io === "output" && others === false) ? {} : { additionalProperties: others }),
    };
  };
  return explain;
}

const descriptionOf = (schema: JsonSchema, resolve: Explain): string | undefined =>
  [schema, ...(schema.anyOf ?? [])].map((each) => resolve(each).description).find((each) => each !== undefined);

const withoutKeys = <T>(object: Record<string, T>, names: string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
