import { isSchema, type Schema } from "./json-schema.ts";
import { weightUpTo } from "./weight.ts";

/**
 * Whether a schema and its params are small and plain enough to check in a few milliseconds. Only then does the server
 * check them itself; otherwise a child process does, with a deadline.
 */
export function isOrdinary(schema: Schema, params: unknown = null): boolean {
  const { isOrdinarySchema, hasFormat } = knownKinds.get(schema) ?? kindOf(schema);
  if (!isOrdinarySchema) return false;
  const paramsMax = hasFormat ? weightMax.paramsWithFormat : weightMax.params;
  return weightUpTo(params, paramsMax) <= paramsMax;
}

interface Kind {
  isOrdinarySchema: boolean;
  hasFormat: boolean;
}

/** Of frozen schemas alone: another may change. */
const knownKinds = new WeakMap<Schema, Kind>();

function kindOf(schema: Schema): Kind {
  const seen: Seen = { schemas: 0, hasFormat: false };
  const isSmall = weightUpTo(schema, weightMax.schema) <= weightMax.schema;
  const kind = { isOrdinarySchema: isSmall && isPlain(schema, seen, 0), hasFormat: seen.hasFormat };
  if (Object.isFrozen(schema)) knownKinds.set(schema, kind);
  return kind;
}

/** Compiling takes about 30 µs per schema. */
const schemasMax = 100;
const depthMax = 20;
const weightMax = {
  schema: 16 * 1024,
  params: 16 * 1024,
  // Formats are patterns, and some take quadratic time.
  paramsWithFormat: 1024,
  // Every wrong value gets a message with the allowed ones.
  enum: 1024,
};

interface Seen {
  schemas: number;
  hasFormat: boolean;
}

const plainKeywords = new Set([
  ...["$schema", "$comment", "title", "description", "default", "examples", "deprecated"],
  ...["type", "enum", "const", "required", "properties", "additionalProperties", "items", "format"],
  ...["minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minItems", "maxItems", "minProperties", "maxProperties"],
]);

/** No patterns, no references, and nothing that is checked several times: each value is visited once. */
function isPlain(schema: unknown, seen: Seen, depth: number): boolean {
  if (typeof schema === "boolean") return true;
  if (!isSchema(schema) || ++seen.schemas > schemasMax || depth > depthMax) return false;
  if (!Object.keys(schema).every((keyword) => plainKeywords.has(keyword))) return false;
  if (schema.format !== undefined) seen.hasFormat = true;
  if (schema.enum !== undefined && weightUpTo(schema.enum, weightMax.enum) > weightMax.enum) return false;
  const inner: unknown[] = [schema.items, schema.additionalProperties].filter((each) => each !== undefined);
  if (schema.properties !== undefined) {
    if (!isSchema(schema.properties)) return false;
    inner.push(...Object.values(schema.properties));
  }
  return inner.every((each) => isPlain(each, seen, depth + 1));
}
