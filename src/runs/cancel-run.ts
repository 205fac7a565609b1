import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import { listOpenRecords, saveRecord } from "./journal/journal.ts";
import { mayHaveIntents, settleIntents, voidIntentsOf } from "./journal/write-intents.ts";
import { cancelledProblem, cancelledWrites } from "./outcome/cancelled-writes.ts";
import { isStepRun, type Run } from "./record/run-record.ts";
import { cancelNow, updateProblem } from "./runs.store.ts";
import { requireRun } from "./runs.ts";

/** "Cancel (stops at the next boundary)": what was sent is not undone. Returns the runs that this ended, with their problem. */
export async function cancelRun(db: Db, projectId: string, runId: string, now: Date): Promise<Run[]> {
  const run = await requireRun(db, projectId, runId);
  // A run that waits for another cancels that one first, in the order in which they would end by themselves.
  const child = run.waitingFor?.run_id;
  const ended: Run[] = [];
  if (child !== undefined && (await cancelNow(db, projectId, child, now.toISOString())) === "cancelled") {
    ended.push(await settleWrites(db, await requireRun(db, projectId, child), now));
  }
  const how = await cancelNow(db, projectId, runId, now.toISOString());
  if (how === null) throw new Problem("run_ended");
  return how === "cancelled" ? [...ended, await settleWrites(db, await requireRun(db, projectId, runId), now)] : ended;
}

/** A write whose outcome is unknown stays so, and the end of the run names it. Nobody waits for it to be found any more. */
async function settleWrites(db: Db, run: Run, now: Date): Promise<Run> {
  const problem = isStepRun(run) ? await settleStep(db, run, now) : await settleRecords(db, run, now);
  await updateProblem(db, run.id, problem);
  return { ...run, problem };
}

/** A single step can be cancelled only once its outcome is unknown. */
async function settleStep(db: Db, { id, work, problem }: Run, now: Date) {
  if (work.kind !== "step" || problem?.code !== "outcome_unknown") return null;
  if (mayHaveIntents(work.id)) await settleIntents(db, id, "outcome_unknown", now);
  return cancelledProblem([work.id], problem);
}

async function settleRecords(db: Db, { id }: Run, now: Date) {
  const { records, problem, unsent } = cancelledWrites(await listOpenRecords(db, id), now);
  for (const record of records) await saveRecord(db, record);
  await voidIntentsOf(db, unsent);
  return problem;
}
