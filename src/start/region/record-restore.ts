import { skipAfterRestore } from "../../schedules/skip-after-restore.ts";
import type { Store } from "../../store/db.ts";
import { markRestored, readMark } from "../../store/restore-detection.ts";

/**
 * Records that the store was restored from a backup at this time, and settles what must not happen twice. It may be
 * repeated after a failure. What comes after that time is not affected.
 */
export async function recordRestore(store: Store, at: Date): Promise<void> {
  if ((await readMark(store))?.restoredAt !== at.toISOString()) await markRestored(store, at);
  await skipAfterRestore(store, at);
}
