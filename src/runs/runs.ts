import { newId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import { isoTime } from "../kernel/times.ts";
import type { Db, Store } from "../store/db.ts";
import type { Step } from "../systems/define.ts";
import { stepProblem } from "../systems/step-problems.ts";
import { type LargeOutput, readLargePreviews, wholeRun } from "./journal/large-outputs.ts";
import { mayHaveIntents, settleIntents } from "./reconcile/write-intents.ts";
import type { Run, StepRun } from "./run-record.ts";
import {
  cancelNow,
  endLeases,
  findRun,
  findRunState,
  findShownRun,
  hasLargeOutput,
  type RunState,
} from "./runs.store.ts";
import { type RunHold, settleUnknown } from "./single-step.store.ts";

export { type Conversation, listConversations, readParamsBeginnings } from "./conversations.store.ts";
export type { ListedRun, Run, StepRun } from "./run-record.ts";
export type { RunStatus } from "./run-status.ts";
export {
  hasLargeOutput,
  hasRunEnded,
  listRunSummaries,
  listRuns,
  type RunFilter,
  type RunSearch,
  readRunStatuses,
  requestCancel,
  searchRunSummaries,
} from "./runs.store.ts";
export { readSeenRuns, type SeenRun } from "./seen-runs.store.ts";
export { claimAbandoned, insertStepRun, settleUnknown, updateProbed, updateRunning } from "./single-step.store.ts";

export interface RunWish {
  region: Region;
  organizationId: string;
  projectId: string;
  step: Step;
  connectionId: string;
  /** As the caller sent it, with secrets masked. */
  params: unknown;
  startedBy: string;
  keyId: string | null;
  now: Date;
  /** For a run that a worker holds from the start. */
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

export async function requireRun(db: Db, projectId: string, runId: string): Promise<Run> {
  const run = await findRun(db, projectId, runId);
  if (!run) throw new Problem("run_not_found");
  return run;
}

export async function requireRunState(db: Db, projectId: string, runId: string): Promise<RunState> {
  const state = await findRunState(db, projectId, runId);
  if (!state) throw new Problem("run_not_found");
  return state;
}

/** A run to show: of a large output it has only the preview. */
export interface ShownRun extends Run {
  large?: LargeOutput | undefined;
}

export async function showRun(db: Db, projectId: string, runId: string): Promise<ShownRun> {
  const run = await findShownRun(db, projectId, runId);
  if (!run) throw new Problem("run_not_found");
  return hasLargeOutput(run) ? { ...run, large: (await readLargePreviews(db, runId))(wholeRun) } : run;
}

/** "Cancel (stops at the next boundary)": what was sent is not undone. Returns the runs that this ended. */
export async function cancelRun(db: Db, projectId: string, runId: string, now: Date): Promise<Run[]> {
  const run = await requireRun(db, projectId, runId);
  // A run that waits for another cancels that one first, in the order in which they would end by themselves.
  const child = run.waitingFor?.run_id;
  const ended: Run[] = [];
  if (child !== undefined && (await cancelNow(db, projectId, child, now.toISOString())) === "cancelled") {
    ended.push(await requireRun(db, projectId, child));
  }
  const how = await cancelNow(db, projectId, runId, now.toISOString());
  if (how === null) throw new Problem("run_ended");
  return how === "cancelled" ? [...ended, run] : ended;
}

/** The problem of a write that, as a person decided, did not happen. */
export const didNotHappen = stepProblem(
  "system_unavailable",
  "The response was lost, and a person reports that the write did not happen.",
);

export type Resolution = "happened" | "did_not";

/** A person settles a write whose answer was lost. */
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

/** A person asks to send the step again: the run is running, and the given worker holds it. */
export async function reclaimUnknown(db: Db, run: StepRun, hold: RunHold & { leaseUntil: string }): Promise<StepRun> {
  const { worker, fence, leaseUntil } = hold;
  const held = { worker, fence, leaseUntil, waitingFor: null };
  const running: StepRun = { ...run, status: "running", problem: null, output: null, ...held };
  if (!(await settleUnknown(db, running))) throw new Problem("run_not_waiting");
  return running;
}

/**
 * For a process that starts alone on a store: it takes over unfinished runs at once, without waiting for their leases.
 */
export const endAllLeases = (store: Store, now: Date): Promise<void> =>
  store.transaction((db) => endLeases(db, isoTime(new Date(now.getTime() - 1))));
