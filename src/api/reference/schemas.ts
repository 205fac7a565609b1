import * as z from "zod";
import type { Operation } from "../../calls/define.ts";
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
export function bodySchemaOf(operation: Operation): JsonSchema {
  const { required = [], properties = {}, ...rest } = jsonSchema(operation.input, "input");
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

function jsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return explained(rest as JsonSchema, io);
}

/** Adds descriptions to members. A response may gain members later, so no schema of a response forbids others. */
function explained(schema: JsonSchema, io: "input" | "output"): JsonSchema {
  const { properties, items, anyOf, additionalProperties, minimum, maximum, ...rest } = schema;
  const inner = (each: JsonSchema) => explained(each, io);
  const members = Object.entries(properties ?? {}).map(([name, member]) => {
    const description = descriptionOf(member) ?? fieldMeanings[name];
    return [name, { ...inner(member), ...(description === undefined ? {} : { description }) }];
  });
  return {
    ...rest,
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
    ...(properties ? { properties: Object.fromEntries(members) } : {}),
    ...(items ? { items: inner(items) } : {}),
    ...(anyOf ? { anyOf: anyOf.map(inner) } : {}),
    ...(additionalProperties === undefined || (io === "output" && additionalProperties === false)
      ? {}
      : { additionalProperties }),
  };
}

const descriptionOf = (schema: JsonSchema): string | undefined =>
  schema.description ?? schema.anyOf?.find((each) => each.description !== undefined)?.description;

const withoutKeys = <T>(object: Record<string, T>, names: string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
