import type { FieldError } from "../kernel/problem.ts";
import type { Computed, ComputeFor } from "../untrusted/compute.ts";
import { readPieces, writePieces } from "../untrusted/json-pieces.ts";
import { readBySchema, type Schema, toZod, typeMistake, unusable } from "../untrusted/json-schema.ts";
import { isOrdinary } from "../untrusted/ordinary-schema.ts";
import type { ToolDefinition } from "./definition.ts";

/** Why a schema cannot be used, each with a pointer from its root. */
export async function findSchemaMistakes(schema: Schema, on: ComputeFor): Promise<FieldError[]> {
  if (isOrdinary(schema)) return mistakesOfOrdinary(schema);
  const computed = await on.compute.run(on.organizationId, "schema", JSON.stringify(schema));
  return computed.kind === "done" ? computed.value : [tooMuch(computed)];
}

function mistakesOfOrdinary(schema: Schema): FieldError[] {
  const mistakes = typeMistake(schema);
  if (mistakes.length > 0) return mistakes;
  try {
    toZod(schema);
    return [];
  } catch (error) {
    return [unusable(error)];
  }
}

export type ReadParams = { params: unknown } | { errors: FieldError[] };

/**
 * The params with the defaults of their schema, or what is wrong with them; pointers lead into the params. Never call
 * it inside a transaction: it may wait for another process.
 */
export async function readParams(
  { params_schema: schema }: Pick<ToolDefinition, "params_schema">,
  params: unknown,
  on: ComputeFor,
): Promise<ReadParams> {
  if (isOrdinary(schema, params)) return readOrdinary(schema, params);
  const sent = { schema: JSON.stringify(schema), params: await writePieces(params, Number.POSITIVE_INFINITY) };
  const computed = await on.compute.run(on.organizationId, "params", sent);
  if (computed.kind === "overran") return { errors: [tooMuch(computed)] };
  const read = computed.value;
  return "errors" in read ? read : { params: await readPieces(read.params) };
}

const compiled = new WeakMap<Schema, ReturnType<typeof toZod>>();

function readOrdinary(schema: Schema, params: unknown): ReadParams {
  let zod = compiled.get(schema);
  if (!zod) {
    try {
      zod = toZod(schema);
    } catch (error) {
      return { errors: [unusable(error)] };
    }
    compiled.set(schema, zod);
  }
  return readBySchema(zod, schema, params);
}

const tooMuchInWords = {
  "too long": "This schema takes too long to check: simplify its oneOf, anyOf, allOf and references, or send less.",
  "too big": "This schema takes too much memory to check: simplify it, or send less.",
  "too deep": "This schema is nested too deeply, or refers to itself without end.",
};

const tooMuch = ({ reason }: Extract<Computed<unknown>, { kind: "overran" }>): FieldError => ({
  pointer: "",
  code: "slow_schema",
  detail: tooMuchInWords[reason],
});
