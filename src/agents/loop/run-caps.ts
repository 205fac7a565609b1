import type { StepRecord } from "../../runs/journal/journal.ts";
import { type StepProblem, stepProblem } from "../../systems/step-problems.ts";
import { toolStep } from "./journal-positions.ts";
import type { AgentCaps } from "./plan.ts";
import { tokensUsed } from "./tokens-used.ts";

/** The cap that the run has reached; null if it may ask its model once more. */
export function capReached(
  caps: AgentCaps,
  records: readonly StepRecord[],
  createdAt: string,
  now: Date,
): StepProblem | null {
  const used = tokensUsed(records);
  if (used.turns >= caps.turnsMax) {
    return stepProblem("turns_used_up", `The model has used all ${caps.turnsMax} turns and is not done.`);
  }
  const tokens = used.input_tokens + used.output_tokens;
  if (tokens >= caps.tokensMax) {
    return stepProblem("tokens_used_up", `The run has used ${tokens} tokens, and may use ${caps.tokensMax}.`);
  }
  const minutes = (now.getTime() - Date.parse(createdAt) - waitedForPeople(records)) / 60_000;
  if (minutes >= caps.minutesMax) {
    return stepProblem(
      "time_used_up",
      `The run has taken ${Math.floor(minutes)} minutes, and may take ${caps.minutesMax}.`,
    );
  }
  return null;
}

/** In milliseconds. The time that people take does not count, also if a tool asked them. */
export const waitedForPeople = (records: readonly StepRecord[]): number =>
  records.reduce((sum, record) => sum + peopleTook(record), 0);

function peopleTook(record: StepRecord): number {
  const { stepId, output, startedAt, finishedAt } = record;
  if (stepId === toolStep) return (output as { waited_for_people_ms?: number } | null)?.waited_for_people_ms ?? 0;
  if (finishedAt === null || !(stepId === "approve" || wasSettledByPerson(record))) return 0;
  return Date.parse(finishedAt) - Date.parse(startedAt);
}

/** A write whose answer was lost, so that a person had to settle it. */
function wasSettledByPerson({ attempts }: StepRecord): boolean {
  const last = attempts.at(-1);
  return last !== undefined && last.effect !== "read" && last.response === undefined;
}
