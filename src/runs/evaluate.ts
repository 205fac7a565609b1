import type { Compute } from "../untrusted/compute.ts";
import { expressionLimits } from "../untrusted/limits.ts";
import { type Pieces, readPieces, TooLarge, writePieces } from "../untrusted/pieces.ts";
import type { ExpressionFailure } from "../untrusted/tasks/expression.ts";

/** What an expression can see: nothing else is handed to the process that evaluates it. */
export interface Values {
  params: unknown;
  steps: Record<string, { output: unknown; status: string; problem?: unknown }>;
  foreach?: { item: unknown; index: number };
  event?: unknown;
}

export type FailureReason = ExpressionFailure | "sees too much";

export type Evaluated = { value: unknown } | { failed: FailureReason; detail?: string };

/** Evaluates an expression for one organization, in another process: it may wait for its turn. */
export type Evaluate = (expression: string, values: Partial<Values>) => Promise<Evaluated>;

export function evaluateFor(compute: Compute, organizationId: string): Evaluate {
  return async (expression, values) => {
    const handed = await writePieces(values, expressionLimits.seenWeight).catch(tooLarge);
    if (handed === null) return { failed: "sees too much" };
    const computed = await compute.run(organizationId, "expression", { expression, values: handed });
    if (computed.kind === "overran") return { failed: computed.reason };
    const told = computed.value;
    if (told.kind === "nothing") return { value: undefined };
    if (told.kind === "value") return { value: await readPieces(told.value) };
    return { failed: told.reason, ...(told.detail === undefined ? {} : { detail: told.detail }) };
  };
}

function tooLarge(error: unknown): Pieces | null {
  // Too much of it, or nested so deeply that it cannot even be written.
  if (error instanceof TooLarge || error instanceof RangeError) return null;
  throw error;
}
