import type { NoLonger } from "../../access/callers/still-allowed.ts";
import { type StepProblem, stepProblem } from "../../systems/problems.ts";
import type { StepRecord } from "../journal/journal.ts";
import type { RunEnd } from "../queue/queue.ts";
import { ownerProblems } from "../queue/run-owner.ts";
import { isOpen } from "../reconcile/open-write.ts";
import type { WaitingFor } from "../run.ts";
import type { RunHand, Stopped } from "./ports.ts";

/** What keeps a run from its next step: somebody's wish, or an owner who may not go on. */
export type Stop = "cancelled" | NoLonger;

/** Asked at every boundary: before each step, and before each round of one. */
export async function whyStop({ run, ports }: RunHand): Promise<Stop | null> {
  return run.cancelAsked ? "cancelled" : ports.whyStop(run);
}

export function stopped(hand: RunHand, stop: Stop): Stopped {
  if (stop === "cancelled") return { end: ended("cancelled", hand.ports.now()), last: null };
  return endFailed(hand, ownerProblems[stop]);
}

/** A run that breaks whoever takes it up is put away, and says so. */
export const givenUp = (hand: RunHand, tries: number): Stopped =>
  endFailed(
    hand,
    stepProblem("internal", `It was taken up ${tries} times without getting any further, and is given up.`),
  );

/** A write that nobody knows the outcome of stays a question to a person; only then does the run end as failed. */
function endFailed(hand: RunHand, problem: StepProblem): Stopped {
  const open = hand.journal.records.find(isOpen);
  if (!open) return { end: { ...ended("failed", hand.ports.now()), problem }, last: null };
  const asked = stepProblem(
    "outcome_unknown",
    `The request was handed over, and its answer never came. Nobody looked for it: ${problem.detail}`,
  );
  const last: StepRecord = { ...open, status: "outcome_unknown", problem: withRun(asked, hand) };
  return { end: unknown(last), last };
}

const withRun = (problem: StepProblem, { run }: RunHand): StepProblem => ({
  ...problem,
  remedy: problem.remedy.replace("{run_id}", run.id),
});

export const ended = (status: RunEnd["status"], now: Date): RunEnd => ({
  status,
  output: null,
  problem: null,
  waitingFor: null,
  runAt: null,
  finishedAt: now.toISOString(),
});

export const unknown = (record: StepRecord): RunEnd => ({
  status: "outcome_unknown",
  output: null,
  problem: record.problem,
  waitingFor: {
    kind: "person",
    step: record.name,
    detail: "A write was sent and its answer never came. Look at the system, then say what happened.",
  },
  runAt: null,
  finishedAt: null,
});

export const waiting = ({ waitingFor, runAt }: { waitingFor: WaitingFor; runAt: Date | null }): RunEnd => ({
  status: "waiting",
  output: null,
  problem: null,
  waitingFor,
  runAt: runAt?.toISOString() ?? null,
  finishedAt: null,
});
