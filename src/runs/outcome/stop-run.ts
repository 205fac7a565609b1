import type { AccessLoss } from "../../access/callers/still-allowed.ts";
import { isoTime } from "../../kernel/times.ts";
import { type StepProblem, stepProblem } from "../../systems/step-problems.ts";
import type { StepRecord } from "../journal/journal.ts";
import { isOpen } from "../journal/open-write.ts";
import { voidIntentsOf } from "../journal/write-intents.ts";
import type { RunEnd } from "../queue/queue.ts";
import { ownerProblems } from "../queue/run-owner.ts";
import type { WaitingFor } from "../record/run-record.ts";
import { cancelledWrites } from "./cancelled-writes.ts";
import type { RunContext, Stopped } from "./ports.ts";

/** Why a run stops before its next step: it was cancelled, or its owner may no longer act. */
export type Stop = "cancelled" | AccessLoss;

/** Checked at every boundary: before each step, and before each iteration of one. */
export async function findStop({ run, ports }: RunContext): Promise<Stop | null> {
  return run.cancelAsked ? "cancelled" : ports.findStop(run);
}

/** `last` is the record of a step that was looked at once more. */
export function stopped(context: RunContext, stop: Stop, last: StepRecord | null = null): Stopped {
  if (stop === "cancelled") return cancelled(context, last);
  return endFailed(context, ownerProblems[stop]);
}

/** The end of the run names the writes whose outcome stays unknown. */
function cancelled({ journal, ports }: RunContext, last: StepRecord | null): Stopped {
  const isLast = ({ position, turn }: StepRecord) => position === last?.position && turn === last.turn;
  const others = journal.records().filter((record) => !isLast(record));
  const { records, problem, unsent } = cancelledWrites(last ? [...others, last] : others, ports.now());
  for (const record of records) journal.saveSoon(record);
  const end = { ...ended("cancelled", ports.now()), problem };
  return { end, last: records.some(isLast) ? null : last, inside: (db) => voidIntentsOf(db, unsent) };
}

/** Ends a run that fails again and again. */
export function givenUp(context: RunContext, tries: number, isJournalLost: boolean): Stopped {
  const tried = `Signalbox tried the run ${tries} times without progress, and stopped.`;
  const lost = " The records of its steps cannot be read: check in the systems which of its writes happened.";
  return endFailed(context, stepProblem("internal", isJournalLost ? tried + lost : tried));
}

/** A run with an open write ends with `outcome_unknown`, so that a person decides; any other run fails. */
function endFailed(context: RunContext, problem: StepProblem): Stopped {
  const open = context.journal.records().find(isOpen);
  if (!open) return { end: { ...ended("failed", context.ports.now()), problem }, last: null };
  const asked = stepProblem(
    "outcome_unknown",
    `The request was sent, and its response was lost. Signalbox did not check the system: ${problem.detail}`,
  );
  const last: StepRecord = { ...open, status: "outcome_unknown", problem: withRun(asked, context) };
  return { end: unknownOutcome(last), last };
}

const withRun = (problem: StepProblem, { run }: RunContext): StepProblem => ({
  ...problem,
  remedy: problem.remedy.replace("{run_id}", run.id),
});

export const ended = (status: RunEnd["status"], now: Date): RunEnd => ({
  status,
  output: null,
  problem: null,
  waitingFor: null,
  runAt: null,
  finishedAt: isoTime(now),
});

export const unknownOutcome = (record: StepRecord): RunEnd => ({
  status: "outcome_unknown",
  output: null,
  problem: record.problem,
  waitingFor: {
    kind: "person",
    step: record.name,
    detail: "A write was sent and its response was lost. Check the system, then report what happened.",
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
