import { expect, test } from "vitest";
import { describeOnBothStores, newStore } from "../../test/support/stores.ts";
import type { Db } from "../store/db.ts";
import { inOneTransaction, type TransactionScope } from "./one-transaction.ts";

describeOnBothStores("one transaction", (kind) => {
  const leaving =
    (said: string[]) =>
    async ({ db, afterCommit, onRollback }: TransactionScope) => {
      afterCommit(() => void said.push("after"));
      onRollback(() => void said.push("undone"));
      const [row] = await db.query<{ one: number }>("select 1 as one");
      said.push("worked");
      return row?.one;
    };

  test("returns the result of its work, after the afterCommit callbacks", async () => {
    const said: string[] = [];
    expect(await inOneTransaction(await newStore(kind), leaving(said))).toBe(1);
    expect(said).toEqual(["worked", "after"]);
  });

  test("after a failure it runs the onRollback callbacks and no afterCommit callback", async () => {
    const said: string[] = [];
    const failing = inOneTransaction(await newStore(kind), async (transactionScope) => {
      await leaving(said)(transactionScope);
      throw new Error("It does not go.");
    });
    await expect(failing).rejects.toThrow("It does not go.");
    expect(said).toEqual(["worked", "undone"]);
  });

  test("after a retry it has rolled back the first attempt, and runs afterCommit callbacks once", async () => {
    const store = await newStore(kind);
    const runsTwice: Db = {
      ...store,
      transaction: async (work) => {
        await store.transaction(work);
        return store.transaction(work);
      },
    };
    const said: string[] = [];
    await inOneTransaction(runsTwice, leaving(said));
    expect(said).toEqual(["worked", "undone", "worked", "after"]);
  });
});
