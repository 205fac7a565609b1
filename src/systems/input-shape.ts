import type * as z from "zod";

/** The members of a step's input. */
export function shapeOf(schema: z.ZodType): Record<string, unknown> {
  const { def } = schema as unknown as { def: { type: string; shape?: Record<string, unknown>; in?: z.ZodType } };
  if (def.shape) return def.shape;
  if (def.in) return shapeOf(def.in);
  throw new Error("The input of a step is an object.");
}
