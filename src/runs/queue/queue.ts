import { Problem } from "../../kernel/problem.ts";
import { LeaseLost } from "../../steps/fence.ts";
import type { Db } from "../../store/db.ts";
import { type PlannedRun, parentOf, type Run } from "../record/run-record.ts";
import { beginRun, type Claim, endRun, findPlannedRun, queueAgain, type RunEnd } from "./queue.store.ts";
import { deleteEntry } from "./queue-entries.store.ts";

export { LeaseLost } from "../../steps/fence.ts";
export { withdrawHeldRuns, withdrawQueuedRuns } from "./cancel-refused.store.ts";
export {
  type Claim,
  insertPlannedRun,
  listCancelled,
  type RunEnd,
  releaseExpiredLeases,
  requeueRun,
} from "./queue.store.ts";
export { type QueueDepth, readQueueDepth } from "./queue-depth.store.ts";
export { deleteEntry, freeEntries, freeEntry } from "./queue-entries.store.ts";

export async function leaveRun(db: Db, claim: Claim, end: RunEnd): Promise<void> {
  if (!(await endRun(db, claim, end))) throw new LeaseLost(claim.runId);
}

/** The worker that has claimed the entry of a run holds the run from now on. */
export async function beginQueuedRun(db: Db, claim: Claim, leaseUntil: string): Promise<void> {
  if (!(await beginRun(db, claim, leaseUntil))) throw new LeaseLost(claim.runId);
  await deleteEntry(db, claim.runId);
}

/** The same for a run that leaves its worker without having begun. */
export async function leaveQueuedRun(db: Db, claim: Claim, end: RunEnd): Promise<void> {
  if (!(await endRun(db, claim, end, "queued"))) throw new LeaseLost(claim.runId);
  await deleteEntry(db, claim.runId);
}

/** A run that waited for a person is due again. */
export async function resumeRun(db: Db, runId: string, from: "waiting" | "outcome_unknown", now: Date): Promise<void> {
  if (!(await queueAgain(db, runId, from, now.toISOString()))) throw new Problem("run_not_waiting");
}

/** The same, but does nothing if the run no longer waits. */
export async function resumeIfWaiting(db: Db, runId: string, now: Date): Promise<void> {
  await queueAgain(db, runId, "waiting", now.toISOString());
}

/** A run that ends makes its parent due, in the same transaction. */
export async function makeParentDue(db: Db, run: Pick<Run, "source">, { finishedAt }: RunEnd): Promise<void> {
  const parent = parentOf(run);
  if (parent !== null && finishedAt !== null) await queueAgain(db, parent, "waiting", finishedAt);
}

export async function requirePlannedRun(db: Db, projectId: string, runId: string): Promise<PlannedRun> {
  const run = await findPlannedRun(db, projectId, runId);
  if (!run) throw new Problem("run_not_found");
  return run;
}
