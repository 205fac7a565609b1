import { isSchema, type Schema } from "./json-schema.ts";
import { weightUpTo } from "./weight.ts";

/**
 * Whether a schema and the params for it are so small and plain that checking them takes a few milliseconds at most. Only
 * then are they checked in the server itself; everything else goes to another process, where it has a deadline.
 */
export const isOrdinary = (schema: Schema, params: unknown = null): boolean => {
  if (weightUpTo(schema, weightMax.schema) > weightMax.schema) return false;
  const seen: Seen = { schemas: 0, hasFormat: false };
  if (!isPlain(schema, seen, 0)) return false;
  const paramsMax = seen.hasFormat ? weightMax.paramsWithFormat : weightMax.params;
  return weightUpTo(params, paramsMax) <= paramsMax;
};

/** Making a schema ready for checking takes about 30 µs for each schema in it. */
const schemasMax = 100;
const depthMax = 20;
const weightMax = {
  schema: 16 * 1024,
  params: 16 * 1024,
  // Formats are patterns, some of which take the square of a text's length.
  paramsWithFormat: 1024,
  // Every wrong value is told what it could have been.
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

/** No patterns, no references, and nothing that is checked several times over: each value is looked at once. */
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
