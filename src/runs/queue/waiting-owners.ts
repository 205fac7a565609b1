import type { Store } from "../../store/db.ts";
import { whyOwnerMayNot } from "./run-owner.ts";
import { listWaitingOwners, makeDue } from "./waiting-owners.store.ts";

/**
 * "Running work at its next boundary": a run that waits stands at one, and might stand there for ever. Where its owner may
 * not go on, it is due now, and whoever takes it up ends it. Answers how many.
 */
export async function wakeRunsOfTheGone(store: Store, now: Date): Promise<number> {
  let woken = 0;
  for (const owner of await listWaitingOwners(store)) {
    if ((await whyOwnerMayNot(store, owner)) === null) continue;
    woken += await store.transaction((db) => makeDue(db, owner, now.toISOString()));
  }
  return woken;
}
