import { newId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import { isoTime } from "../kernel/times.ts";
import type { Db, Store } from "../store/db.ts";
import type { Step } from "../systems/define.ts";
import { stepProblem } from "../systems/problems.ts";
import { type LargeOutput, largeAt, wholeRun } from "./journal/large-outputs.ts";
import type { ListedRun, Run, StepRun } from "./run.ts";
import {
  askToStop,
  cancelRow,
  claimAbandoned,
  endLeases,
  findRun,
  findShownRun,
  hasEnded,
  insertStepRun,
  liesApart,
  listRuns as listRunRows,
  listRunSummaries as listSummaryRows,
  type RunFilter,
  type RunHold,
  settleUnknown,
  updateLooked,
  updateRunning,
} from "./runs.store.ts";

export type { RunStatus } from "./run-status.ts";

import { mayHaveIntents, settleIntents } from "./reconcile/write-intents.ts";

export type { ListedRun, Run, StepRun } from "./run.ts";
export type { RunFilter } from "./runs.store.ts";

export interface RunWish {
  region: Region;
  organizationId: string;
  projectId: string;
  step: Step;
  connectionId: string;
  /** As it was given, secrets taken out. */
  params: unknown;
  startedBy: string;
  keyId: string | null;
  now: Date;
  /** Where it is in somebody's hands from the first moment on. */
  leaseSeconds?: number;
}

export const newStepRun = (wish: RunWish): StepRun => ({
  id: newId("run", wish.region),
  organizationId: wish.organizationId,
  projectId: wish.projectId,
  work: { kind: "step", id: wish.step.id, connectionId: wish.connectionId },
  status: "running",
  params: wish.params,
  attempts: [],
  output: null,
  outputBytes: 0,
  warnings: [],
  problem: null,
  limits: [],
  startedBy: wish.startedBy,
  keyId: wish.keyId,
  createdAt: isoTime(wish.now),
  finishedAt: null,
  leaseUntil: wish.leaseSeconds === undefined ? null : isoTime(new Date(wish.now.getTime() + wish.leaseSeconds * 1000)),
  worker: null,
  fence: 0,
  waitingFor: null,
  source: { kind: "call" },
  runAt: null,
  claimsWithoutProgress: 0,
  failures: 0,
  cancelAsked: false,
});

export const keepNewRun = insertStepRun;
export const keepRunning = updateRunning;
export const keepLooked = updateLooked;

export async function requireRun(db: Db, projectId: string, runId: string): Promise<Run> {
  const run = await findRun(db, projectId, runId);
  if (!run) throw new Problem("run_not_found");
  return run;
}

/** A run to look at: of an output that lies apart it has the beginning. */
export interface ShownRun extends Run {
  large?: LargeOutput | undefined;
}

export async function showRun(db: Db, projectId: string, runId: string): Promise<ShownRun> {
  const run = await findShownRun(db, projectId, runId);
  if (!run) throw new Problem("run_not_found");
  return liesApart(run) ? { ...run, large: (await largeAt(db, runId))(wholeRun) } : run;
}

export { liesApart };

export const listRuns = (
  db: Db,
  projectId: string,
  filter: RunFilter,
  page: { after: string; limit: number },
): Promise<Run[]> => listRunRows(db, projectId, filter, page);

export const listRunSummaries = (
  db: Db,
  projectId: string,
  filter: RunFilter,
  page: { after: string; limit: number },
): Promise<ListedRun[]> => listSummaryRows(db, projectId, filter, page);

/** "Cancel (stops at the next boundary)": what was sent is not called back. Answers those that have ended by it. */
export async function cancelRun(db: Db, projectId: string, runId: string, now: Date): Promise<Run[]> {
  const run = await requireRun(db, projectId, runId);
  // An agent that waits for a tool takes it along. The tool goes first, in the order in which it would end by itself.
  const child = run.waitingFor?.run_id;
  const ended: Run[] = [];
  if (child !== undefined && (await cancelRow(db, projectId, child, now.toISOString())) === "cancelled") {
    ended.push(await requireRun(db, projectId, child));
  }
  const how = await cancelRow(db, projectId, runId, now.toISOString());
  if (how === null) throw new Problem("run_ended");
  return how === "cancelled" ? [...ended, run] : ended;
}

/** The same for a run that another one has started and gives up now. */
export const stopRun = (db: Db, projectId: string, runId: string, now: Date): Promise<void> =>
  askToStop(db, projectId, runId, now.toISOString());

export const hasRunEnded = hasEnded;

/** A question that was answered is none any more: the run says what it came to. */
export const didNotHappen = stepProblem(
  "system_unavailable",
  "The answer was lost, and a person says that nothing has happened.",
);

export type Resolution = "happened" | "did_not";

/** A person has looked, and says what became of a write whose answer was lost. */
export async function resolveRun(db: Db, run: StepRun, outcome: Resolution, output: unknown, now: Date): Promise<void> {
  if (run.status !== "outcome_unknown") throw new Problem("run_not_waiting");
  const settled: Run =
    outcome === "happened"
      ? { ...run, status: "succeeded", output: output ?? null, problem: null }
      : { ...run, status: "failed", problem: didNotHappen };
  const finished: Run = {
    ...settled,
    finishedAt: now.toISOString(),
    leaseUntil: null,
    worker: null,
    waitingFor: null,
  };
  if (!(await settleUnknown(db, finished))) throw new Problem("run_not_waiting");
  if (mayHaveIntents(run.work.id)) await settleIntents(db, run.id, finished.status, now);
}

/** A person wants it tried once more: it is running again, in the hands of whoever is told to. */
export async function takeUpAgain(db: Db, run: StepRun, hold: RunHold & { leaseUntil: string }): Promise<StepRun> {
  const { worker, fence, leaseUntil } = hold;
  const held = { worker, fence, leaseUntil, waitingFor: null };
  const running: StepRun = { ...run, status: "running", problem: null, output: null, ...held };
  if (!(await settleUnknown(db, running))) throw new Problem("run_not_waiting");
  return running;
}

/** For whoever is alone on the store: what is in somebody's hands is in those of the dead, and need not wait for its lease. */
export const endAllLeases = (store: Store, now: Date): Promise<void> =>
  store.transaction((db) => endLeases(db, isoTime(new Date(now.getTime() - 1))));

/**
 * Runs of single steps whose process is gone, or whose outcome is to be looked for, in this worker's hands until then: nobody else
 * takes them.
 */
export const takeAbandoned = (db: Db, worker: string, now: Date, until: Date, limit: number): Promise<StepRun[]> =>
  claimAbandoned(db, worker, now.toISOString(), isoTime(until), limit);

/** What came of a write after somebody else had taken its run for abandoned: it is a question no longer. */
export const settleLate = settleUnknown;
