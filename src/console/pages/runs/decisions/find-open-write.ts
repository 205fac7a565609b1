import type { Attempt, RunRecord, StepOfRun } from "../describe-status.ts";

/** The step whose write has an unknown outcome: what was sent, and what was asked about it afterwards. */
export interface OpenWrite {
  step: StepOfRun;
  sent: Attempt | null;
  probes: Attempt[];
}

export function openWriteOf({ steps }: Pick<RunRecord, "steps">): OpenWrite | null {
  const step = steps.find(({ status }) => status === "outcome_unknown");
  if (!step) return null;
  const index = step.attempts.findLastIndex(({ effect }) => effect !== "read");
  return { step, sent: step.attempts[index] ?? null, probes: index < 0 ? [] : step.attempts.slice(index + 1) };
}
