import type * as z from "zod";

/** The members of a schema for an object. */
export function shapeOf(schema: z.ZodType): Record<string, unknown> {
  const { def } = schema as unknown as { def: { type: string; shape?: Record<string, unknown>; in?: z.ZodType } };
  if (def.shape) return def.shape;
  if (def.in) return shapeOf(def.in);
  throw new Error("This schema is not one for an object.");
}
