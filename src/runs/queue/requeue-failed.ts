import type { Log } from "../../kernel/log.ts";
import { type Store, StoreUnavailable } from "../../store/db.ts";
import type { PlannedRun } from "../record/run-record.ts";
import { type Claim, requeueRun } from "./queue.store.ts";

const pauseSecondsMax = 60;

interface Failed {
  run: PlannedRun;
  claim: Claim;
  error: unknown;
  /** Whether the run finished a step since it was claimed. */
  hasProgressed: boolean;
}

/** Puts the run back into the queue, with a backoff. If even this fails, its lease expires and it is recovered. */
export async function requeueFailed(
  { run, claim, error, hasProgressed }: Failed,
  { store, now, log }: { store: Store; now: () => Date; log: Log },
): Promise<void> {
  const before = hasProgressed ? 0 : run.failures;
  // An unavailable store is no fault of the run.
  const failures = error instanceof StoreUnavailable ? before : before + 1;
  const seconds = Math.min(pauseSecondsMax, 2 ** failures);
  const runAt = new Date(now().getTime() + seconds * 1000).toISOString();
  await store
    .transaction((db) => requeueRun(db, claim, { runAt, failures }))
    .catch((cause: unknown) =>
      log.warn(
        { run_id: run.id, err: cause },
        "putting a run back into the queue failed; it is recovered when its lease expires",
      ),
    );
}
