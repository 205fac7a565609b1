import type { Store } from "../../store/db.ts";
import { listDoubtfulOwners, makeDue } from "./queue.store.ts";
import { findOwnerLoss } from "./run-owner.ts";

/**
 * "Running work at its next boundary": a waiting run is at a boundary, and might wait for ever. If its owner may no
 * longer act, the run becomes due, and the worker that claims it ends it. Returns how many.
 */
export async function makeOrphanedRunsDue(store: Store, now: Date): Promise<number> {
  let made = 0;
  for (const owner of await listDoubtfulOwners(store)) {
    if ((await findOwnerLoss(store, owner)) === null) continue;
    made += await store.transaction((db) => makeDue(db, owner, now.toISOString()));
  }
  return made;
}
