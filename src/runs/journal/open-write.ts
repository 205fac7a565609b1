import type { StepRecord } from "./step-record.ts";

/** The step's last request that may have changed something. */
export const lastWriteOf = ({ attempts }: Pick<StepRecord, "attempts">) =>
  attempts.findLast(({ effect }) => effect !== "read");

/** When the system was first probed about that request. The request was cut off by then. */
export function firstProbeOf({ attempts }: Pick<StepRecord, "attempts">): Date | null {
  const probe = attempts[attempts.findLastIndex(({ effect }) => effect !== "read") + 1];
  return probe ? new Date(probe.sent_at) : null;
}

/** A write was sent and its outcome is unknown: its worker died, or its answer was cut off. */
export function isOpen({ attempts, status, problem }: StepRecord): boolean {
  if (status === "waiting") return problem?.code === "outcome_unknown";
  const last = attempts.at(-1);
  return status === "running" && last !== undefined && last.effect !== "read" && last.response === undefined;
}
