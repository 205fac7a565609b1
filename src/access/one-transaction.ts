import type { Db } from "../store/db.ts";
import type { AnyScope } from "./scope.ts";

/** What a scope has only inside a transaction. */
export type TransactionScope = Pick<AnyScope, "db" | "afterCommit" | "onRollback">;

/**
 * Runs one transaction. After the commit it runs the `afterCommit` callbacks; after a rollback it runs the `onRollback`
 * callbacks, which undo counts kept outside the store. The store may retry a transaction: then the first attempt is
 * rolled back before.
 */
export async function inOneTransaction<T>(
  store: Db,
  work: (transactionScope: TransactionScope) => Promise<T>,
): Promise<T> {
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
      onRollback: (each) => void undoing.push(each),
    });
  };
  const value = await store.transaction(run).catch((error) => {
    undo();
    throw error;
  });
  for (const each of afterwards) each();
  return value;
}
