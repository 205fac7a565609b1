import { expect, test } from "vitest";
import { describeOnBothStores, newStore } from "../../test/support/stores.ts";
import type { Db } from "../store/db.ts";
import { type Inside, inOneTransaction } from "./one-transaction.ts";

describeOnBothStores("one transaction", (kind) => {
  const leaving =
    (said: string[]) =>
    async ({ db, afterCommit, ifUndone }: Inside) => {
      afterCommit(() => void said.push("after"));
      ifUndone(() => void said.push("undone"));
      const [row] = await db.query<{ one: number }>("select 1 as one");
      said.push("worked");
      return row?.one;
    };

  test("answers what its work did, after what was to wait for the commit", async () => {
    const said: string[] = [];
    expect(await inOneTransaction(await newStore(kind), leaving(said))).toBe(1);
    expect(said).toEqual(["worked", "after"]);
  });

  test("takes back what was counted where it does not come about, and does nothing that was to wait", async () => {
    const said: string[] = [];
    const failing = inOneTransaction(await newStore(kind), async (inside) => {
      await leaving(said)(inside);
      throw new Error("It does not go.");
    });
    await expect(failing).rejects.toThrow("It does not go.");
    expect(said).toEqual(["worked", "undone"]);
  });

  test("takes back what a first try has counted where it is run again, and does once what was to wait", async () => {
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
