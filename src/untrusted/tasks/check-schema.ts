import type * as z from "zod";
import type { FieldError } from "../../kernel/problem.ts";
import { type Pieces, readPieces, writePieces } from "../json-pieces.ts";
import { readBySchema, type Schema, toZod, unusable } from "../json-schema.ts";
import { withLinearPatterns } from "../linear-pattern.ts";
import { findSchemaMistakes } from "../schema-mistakes.ts";

/** Mistakes of a schema, given as JSON. */
export const checkSchema = (schema: string): FieldError[] => findSchemaMistakes(JSON.parse(schema) as Schema);

export type ParamsRead = { params: Pieces } | { errors: FieldError[] };

/** Returns the params with the schema's defaults, or their mistakes. */
export async function checkParams(input: { schema: string; params: Pieces }): Promise<ParamsRead> {
  const params = await readPieces(input.params);
  let ready: Ready;
  try {
    ready = prepare(input.schema);
  } catch (error) {
    // The schema was saved before today's rules: the caller who starts the tool learns what is wrong.
    if (error instanceof RangeError) throw error;
    return { errors: [unusable(error)] };
  }
  const read = readBySchema(ready.zod, ready.schema, params);
  return "errors" in read ? read : { params: await writePieces(read.params, Number.POSITIVE_INFINITY) };
}

interface Ready {
  schema: Schema;
  zod: z.ZodType;
}

const cached = new Map<string, Ready>();
const cachedMax = 100;

/** A tool's schema repeats with every run. */
function prepare(text: string): Ready {
  let ready = cached.get(text);
  if (ready) return ready;
  const schema = JSON.parse(text) as Schema;
  ready = { schema, zod: withLinearPatterns(() => toZod(schema)) };
  if (cached.size >= cachedMax) cached.clear();
  cached.set(text, ready);
  return ready;
}
