import * as z from "zod";
import { pointerTo } from "../kernel/json-pointer.ts";
import "../kernel/validation-sentences.ts";
import { type FieldError, fieldErrorsMax } from "../kernel/problem.ts";

/** A JSON Schema of an object, written by a user. */
export type Schema = Record<string, unknown>;

export const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Keywords that contain further schemas: one, a list, or one per name. */
const oneSchema = ["items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"];
const schemaLists = ["anyOf", "oneOf", "allOf", "prefixItems"];
const schemaMaps = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/** The schemas directly inside a schema, each with a pointer from the root. */
export function innerSchemas(schema: Schema, pointer: string): [unknown, string][] {
  const found: [unknown, string][] = oneSchema.map((name) => [schema[name], pointerTo(pointer, name)]);
  for (const name of [...schemaLists, ...schemaMaps]) {
    const inner = schema[name];
    if (typeof inner !== "object" || inner === null) continue;
    const at = pointerTo(pointer, name);
    for (const [key, each] of Object.entries(inner)) found.push([each, pointerTo(at, key)]);
  }
  return found;
}

/** Throws if the schema cannot be used. */
export function toZod(schema: Schema): z.ZodType {
  // Its own registry, so that ids of one tool do not collide with another's.
  const registry = z.registry<Record<string, unknown>>();
  return z.fromJSONSchema({ type: "object", ...schema } as Parameters<typeof z.fromJSONSchema>[0], { registry });
}

export const unusable = (error: unknown): FieldError => {
  const why = error instanceof Error ? error.message : String(error);
  return { pointer: "", code: "unusable_schema", detail: `This JSON Schema cannot be used: ${why}` };
};

export const typeMistake = (schema: Schema): FieldError[] =>
  schema.type === undefined || schema.type === "object"
    ? []
    : [{ pointer: "/type", code: "unusable_schema", detail: 'Params are an object: say `"type": "object"`.' }];

/** Returns the value with the schema's defaults, or its mistakes; pointers lead into the value. */
export function readBySchema(
  zod: z.ZodType,
  schema: Schema,
  value: unknown,
): { params: unknown } | { errors: FieldError[] } {
  const result = zod.safeParse(value);
  const issues = result.error?.issues ?? [];
  const errors = issues.slice(0, fieldErrorsMax).map((issue) => ({
    pointer: issue.path.reduce<string>((pointer, name) => pointerTo(pointer, String(name)), ""),
    code: issue.code as string,
    detail: issue.message,
  }));
  if (issues.length < fieldErrorsMax) {
    const said = new Set(errors.map(({ pointer }) => pointer));
    for (const each of missing(schema, value, "")) if (!said.has(each.pointer)) errors.push(each);
  }
  return errors.length > 0 ? { errors } : { params: result.data };
}

/** Required members that are missing. The library checks only members that have their own schema. */
function missing(schema: unknown, value: unknown, pointer: string): FieldError[] {
  if (!isSchema(schema) || typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => missing(schema.items, item, pointerTo(pointer, index)));
  }
  const names = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const absent = names
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => ({ pointer: pointerTo(pointer, name), code: "invalid_type", detail: "This member is required." }));
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const inside = Object.entries(value).flatMap(([name, inner]) =>
    Object.hasOwn(properties, name) ? missing(properties[name], inner, pointerTo(pointer, name)) : [],
  );
  return [...absent, ...inside];
}
