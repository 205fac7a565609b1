import { Problem } from "../kernel/problem.ts";
import { isoTime } from "../kernel/times.ts";
import type { Db, Store } from "../store/db.ts";
import { type LargeOutput, readLargePreviews, wholeRun } from "./record/large-outputs.ts";
import type { Run } from "./record/run-record.ts";
import { endLeases, findRun, findRunState, findShownRun, hasLargeOutput, type RunState } from "./runs.store.ts";

export { type Conversation, listConversations, readParamsBeginnings } from "./conversations.store.ts";
export type { ListedRun, Run, StepRun } from "./record/run-record.ts";
export type { RunStatus } from "./record/run-status.ts";
export {
  hasLargeOutput,
  hasRunEnded,
  listRunSummaries,
  listRuns,
  type RunFilter,
  type RunSearch,
  readRunStatuses,
  requestCancel,
} from "./runs.store.ts";
export { readSeenRuns, type SeenRun } from "./seen-runs.store.ts";

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

/**
 * For a process that starts alone on a store: it takes over unfinished runs at once, without waiting for their leases.
 */
export const endAllLeases = (store: Store, now: Date): Promise<void> =>
  store.transaction((db) => endLeases(db, isoTime(new Date(now.getTime() - 1))));
