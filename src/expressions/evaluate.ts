import type { ComputeFor } from "../untrusted/compute.ts";
import { expressionLimits } from "../untrusted/compute-limits.ts";
import { areReadAtOnce, cacheParts, type Part, partsOf } from "../untrusted/expression-syntax/split-text.ts";
import { type Pieces, readPieces, TooLarge, writePieces } from "../untrusted/json-pieces.ts";
import type { ExpressionFailure } from "../untrusted/tasks/evaluate-expression.ts";

/** What an expression can see: the process that evaluates it gets nothing else. */
export interface Values {
  params: unknown;
  steps: Record<string, { output: unknown; status: string; problem?: unknown }>;
  foreach?: { item: unknown; index: number };
  event?: unknown;
}

export type FailureReason = ExpressionFailure | "sees too much";

export type Evaluated = { value: unknown } | { failed: FailureReason; detail?: string };

/** Splits a text into its expressions and the text between them. */
export type ReadText = (text: string) => Part[];

/** Reads and evaluates expressions for one organization, in another process: it may wait for its turn. */
export interface Evaluator {
  /** Prepares these texts, whatever they hold. */
  read(texts: readonly string[]): Promise<ReadText>;
  evaluate(expression: string, values: Partial<Values>): Promise<Evaluated>;
}

export function evaluatorFor(on: ComputeFor): Evaluator {
  return {
    read: (texts) => readTexts(texts, on),
    async evaluate(expression, values) {
      const sent = await writePieces(values, expressionLimits.seenWeight).catch(tooLarge);
      if (sent === null) return { failed: "sees too much" };
      const computed = await on.compute.run(on.organizationId, "expression", { expression, values: sent });
      if (computed.kind === "overran") return { failed: computed.reason };
      const result = computed.value;
      if (result.kind === "nothing") return { value: undefined };
      if (result.kind === "value") return { value: await readPieces(result.value) };
      return { failed: result.reason, ...(result.detail === undefined ? {} : { detail: result.detail }) };
    },
  };
}

function tooLarge(error: unknown): Pieces | null {
  // Too large, or nested too deeply to serialize.
  if (error instanceof TooLarge || error instanceof RangeError) return null;
  throw error;
}

/** A few expressions are read here. Reading many takes disproportionately long, so another process does it. */
async function readTexts(texts: readonly string[], { compute, organizationId }: ComputeFor): Promise<ReadText> {
  if (areReadAtOnce(texts)) return partsOf;
  const distinct = [...new Set(texts)];
  const computed = await compute.run(organizationId, "texts", distinct);
  if (computed.kind === "overran") return tooSlow;
  const all = (await readPieces(computed.value)) as Part[][];
  const known = new Map(distinct.map((text, index) => [text, all[index] ?? []]));
  for (const [text, parts] of known) cacheParts(text, parts);
  return (text) => known.get(text) ?? tooSlow(text);
}

const tooSlow: ReadText = (text) => [
  { text: text.slice(0, 100), mistake: "There are too many expressions to read in time." },
];
