import { turnAlone } from "../../kernel/work-in-slices.ts";
import type { Store } from "../../store/db.ts";
import { listDoubtfulOwners, makeDue } from "./queue.store.ts";
import { findOwnerLoss } from "./run-owner.ts";

/** A person can leave very many runs behind. So many take SQLite a few milliseconds of the event loop. */
const batchRows = 500;

/**
 * "Running work at its next boundary": a waiting run is at a boundary, and might wait for ever. If its owner may no
 * longer act, the run becomes due, and the worker that claims it ends it. Returns how many.
 */
export async function makeOrphanedRunsDue(store: Store, now: Date): Promise<number> {
  let made = 0;
  for (const owner of await listDoubtfulOwners(store)) {
    if ((await findOwnerLoss(store, owner)) === null) continue;
    let after: string | null = "";
    do {
      const from: string = after;
      const batch = await store.transaction((db) =>
        makeDue(db, owner, now.toISOString(), { after: from, limit: batchRows }),
      );
      made += batch.made;
      after = batch.readTo;
      await turnAlone();
    } while (after !== null);
  }
  return made;
}
