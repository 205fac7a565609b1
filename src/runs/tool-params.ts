import * as z from "zod";
import type { FieldError } from "../kernel/problem.ts";
import { pointerTo } from "./expressions.ts";
import type { ToolDefinition } from "./tool-definition.ts";
import { isQuickPattern, patternTextMax } from "./tool-patterns.ts";

type Schema = Record<string, unknown>;

/** Keywords under which further schemas stand: one, a list, or one for each name. */
const oneSchema = ["items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"];
const schemaLists = ["anyOf", "oneOf", "allOf", "prefixItems"];
const schemaMaps = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What keeps a schema from being used, each with a pointer from its root. */
export function findSchemaMistakes(schema: Schema): FieldError[] {
  const mistakes = patternMistakes(schema, "");
  if (schema.type !== undefined && schema.type !== "object") {
    mistakes.push({
      pointer: "/type",
      code: "unusable_schema",
      detail: 'Params are an object: say `"type": "object"`.',
    });
  }
  if (mistakes.length > 0) return mistakes;
  try {
    toZod(schema);
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [{ pointer: "", code: "unusable_schema", detail: `This JSON Schema cannot be used: ${why}` }];
  }
}

/** Patterns run against whatever a caller sends, so only those are taken that cannot take long. */
function patternMistakes(schema: unknown, pointer: string): FieldError[] {
  if (!isSchema(schema)) return [];
  const own = typeof schema.pattern === "string" ? [[pointerTo(pointer, "pattern"), schema.pattern] as const] : [];
  const named = isSchema(schema.patternProperties) ? Object.keys(schema.patternProperties) : [];
  const at = pointerTo(pointer, "patternProperties");
  const slow = [...own, ...named.map((pattern) => [pointerTo(at, pattern), pattern] as const)].filter(
    ([, pattern]) => !isQuickPattern(pattern),
  );
  return [
    ...slow.map(([where]) => ({
      pointer: where,
      code: "slow_pattern",
      detail:
        "The pattern is not a regular expression, or could take too long: repeat no group that repeats something.",
    })),
    ...innerSchemas(schema, pointer).flatMap(([inner, where]) => patternMistakes(inner, where)),
  ];
}

function innerSchemas(schema: Schema, pointer: string): [unknown, string][] {
  const found: [unknown, string][] = oneSchema.map((name) => [schema[name], pointerTo(pointer, name)]);
  for (const name of [...schemaLists, ...schemaMaps]) {
    const inner = schema[name];
    if (typeof inner !== "object" || inner === null) continue;
    const at = pointerTo(pointer, name);
    for (const [key, each] of Object.entries(inner)) found.push([each, pointerTo(at, key)]);
  }
  return found;
}

const kept = new WeakMap<Schema, z.ZodType>();

function toZod(schema: Schema): z.ZodType {
  let made = kept.get(schema);
  if (!made) {
    // A registry of its own: what one tool calls an id is nobody else's business.
    const registry = z.registry<Record<string, unknown>>();
    made = z.fromJSONSchema({ type: "object", ...schema } as Parameters<typeof z.fromJSONSchema>[0], { registry });
    kept.set(schema, made);
  }
  return made;
}

/** Checks what a run is to be started with; pointers lead into the params. */
export function checkParams(definition: Pick<ToolDefinition, "params_schema">, params: unknown): FieldError[] {
  const read = readParams(definition, params);
  return "errors" in read ? read.errors : [];
}

/** The params with the defaults of their schema, or what is wrong with them. */
export function readParams(
  definition: Pick<ToolDefinition, "params_schema">,
  params: unknown,
): { params: unknown } | { errors: FieldError[] } {
  const tooLong = hasPattern(definition.params_schema) ? longTexts(params, "") : [];
  if (tooLong.length > 0) return { errors: tooLong };
  const result = toZod(definition.params_schema).safeParse(params);
  const errors = (result.error?.issues ?? []).map((issue) => ({
    pointer: issue.path.reduce<string>((pointer, name) => pointerTo(pointer, String(name)), ""),
    code: issue.code,
    detail: issue.message,
  }));
  const said = new Set(errors.map(({ pointer }) => pointer));
  errors.push(...missing(definition.params_schema, params, "").filter(({ pointer }) => !said.has(pointer)));
  return errors.length > 0 ? { errors } : { params: result.data };
}

/** What is required and not there. The library asks only for members that have a schema of their own. */
function missing(schema: unknown, value: unknown, pointer: string): (FieldError & { code: "invalid_type" })[] {
  if (!isSchema(schema) || typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => missing(schema.items, item, pointerTo(pointer, index)));
  }
  const names = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const absent = names
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => ({ pointer: pointerTo(pointer, name), code: "invalid_type" as const, detail: "It is required." }));
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const inside = Object.entries(value).flatMap(([name, inner]) =>
    Object.hasOwn(properties, name) ? missing(properties[name], inner, pointerTo(pointer, name)) : [],
  );
  return [...absent, ...inside];
}

const hasPattern = (schema: unknown): boolean =>
  isSchema(schema) &&
  (typeof schema.pattern === "string" ||
    isSchema(schema.patternProperties) ||
    innerSchemas(schema, "").some(([inner]) => hasPattern(inner)));

/** Where patterns are checked at all, no text is longer than they may be matched against. */
function longTexts(value: unknown, pointer: string): FieldError[] {
  if (typeof value === "string" && value.length > patternTextMax) {
    const detail = `Where a schema has patterns, a text has at most ${patternTextMax} characters.`;
    return [{ pointer, code: "too_big", detail }];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => longTexts(inner, pointerTo(pointer, name)));
}
