import type { StepRecord } from "../journal/journal.ts";

/** The last request of a step that would change something. */
export const lastWriteOf = ({ attempts }: Pick<StepRecord, "attempts">) =>
  attempts.findLast(({ effect }) => effect !== "read");

/** When the system was first asked what came of that request: it was cut off by then. */
export function firstProbeOf({ attempts }: Pick<StepRecord, "attempts">): Date | null {
  const look = attempts[attempts.findLastIndex(({ effect }) => effect !== "read") + 1];
  return look ? new Date(look.sent_at) : null;
}

/** A write was handed over, and nobody knows yet what came of it: its worker died, or its answer was cut off. */
export function isOpen({ attempts, status, problem }: StepRecord): boolean {
  if (status === "waiting") return problem?.code === "outcome_unknown";
  const last = attempts.at(-1);
  return status === "running" && last !== undefined && last.effect !== "read" && last.response === undefined;
}
