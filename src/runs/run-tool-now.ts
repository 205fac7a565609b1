import type { Scope } from "../access/scope.ts";
import { followRun, passesBefore, within } from "./follow-run.ts";
import type { RunLeft } from "./journal/journal.ts";
import { type RunStart, storeLargeParams } from "./queue/start-run.ts";
import type { PlannedRun } from "./record/run-record.ts";
import type { StoreIn } from "./worker/started-run.ts";
import type { Worker } from "./worker/worker.ts";

export interface ToolCall {
  waitSeconds: number;
  /** A repeat of the call, after a crash too, must find the run. */
  isRepeatable: boolean;
  storeIn: StoreIn;
}

/**
 * Runs a tool on behalf of a caller, who waits for it. `left` is how the run has ended, or how it waits for longer than its caller
 * does; null if the store knows more.
 */
export async function runToolNow(
  scope: Scope,
  worker: Pick<Worker, "start">,
  start: RunStart,
  { waitSeconds, isRepeatable, storeIn }: ToolCall,
): Promise<{ run: PlannedRun; left: RunLeft | null }> {
  await storeLargeParams(scope.db, start.params, start.now);
  const { run, left, save } = await worker.start(start, {
    storeIn,
    // Until its first write, its first wait or its end, nothing but the answer to this call depends on the run.
    mayBeUnsaved: !isRepeatable && waitSeconds > 0,
    mayBeWithdrawn: !isRepeatable,
  });
  const until = performance.now() + waitSeconds * 1000;
  const seen = await within(waitSeconds, left);
  if (!seen) await save();
  if (seen && !passesBefore(until, seen.end, scope.now())) return { run, left: seen };
  await followRun(scope, run, until);
  return { run, left: null };
}
