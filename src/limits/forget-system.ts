import type { Store } from "../store/db.ts";
import { listSubjects } from "./forget-old-states.ts";
import { emptyStates, listStates } from "./limits.store.ts";
import type { ReportedLimits } from "./reported/reported-limits.ts";
import { originIn } from "./state/row-keys.ts";

/** The system at this origin was reset: its counts and reports no longer hold. */
export async function forgetSystem(store: Store, reported: ReportedLimits, origin: string): Promise<void> {
  const matches = (subject: string): boolean => originIn(subject) === origin;
  const subjects = await listSubjects((after, limit) => listStates(store, after, limit), matches);
  await store.transaction(async (db) => {
    await emptyStates(db, subjects);
    // While the rows are locked, so that no round writes back what this process still remembers.
    reported.forget(matches);
  });
  // A round that read the rows shortly before may have learned from them again.
  reported.forget(matches);
}
