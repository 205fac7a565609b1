import type { Store } from "../../store/db.ts";
import { isKnownByAll } from "../../store/migrate.ts";
import { insertMissingEntries } from "./queue-entries.store.ts";

/** With this migration came the entries of the queue. */
const entriesMigration = 42;
const batchRows = 500;

/**
 * During an upgrade on PostgreSQL, nodes of the previous version queue runs without entries. This makes entries for those that
 * no such node has claimed, until no such node can start any more. Returns how many. Goes with `runs_due`, once the previous version
 * knows the entries.
 */
export function createMissingEntries(store: Store): () => Promise<number> {
  let isOver = store.kind === "sqlite";
  return async () => {
    if (isOver) return 0;
    const isLast = await isKnownByAll(store, entriesMigration);
    let made = 0;
    let more: number;
    do {
      more = await store.transaction((db) => insertMissingEntries(db, batchRows));
      made += more;
    } while (more === batchRows);
    isOver = isLast;
    return made;
  };
}
