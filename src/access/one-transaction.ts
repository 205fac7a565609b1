import type { Db } from "../store/db.ts";
import type { AnyScope } from "./scope.ts";

/** What a scope has inside of a transaction alone. */
export type Inside = Pick<AnyScope, "db" | "afterCommit" | "ifUndone">;

/**
 * One transaction, and after it what was to wait for its commit; where it does not come about, what takes back what was
 * counted outside the store. A transaction may be run again: what its first try has left is taken back before.
 */
export async function inOneTransaction<T>(store: Db, work: (inside: Inside) => Promise<T>): Promise<T> {
  let afterwards: (() => void)[] = [];
  let undoing: (() => void)[] = [];
  const undo = () => {
    for (const each of undoing) each();
    undoing = [];
  };
  const run = (db: Db): Promise<T> => {
    undo();
    afterwards = [];
    return work({
      db,
      afterCommit: (each) => void afterwards.push(each),
      ifUndone: (each) => void undoing.push(each),
    });
  };
  const value = await store.transaction(run).catch((error) => {
    undo();
    throw error;
  });
  for (const each of afterwards) each();
  return value;
}
