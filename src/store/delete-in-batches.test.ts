import { expect, test } from "vitest";
import { describeOnBothStores, newStore } from "../../test/support/stores.ts";
import { deleteBefore } from "./delete-in-batches.ts";

describeOnBothStores("rows that have expired", (kind) => {
  test("are deleted in batches that others can come between, and no other row is", async () => {
    const store = await newStore(kind);
    const at = (number: number) => `2026-03-01T00:00:${String(number % 60).padStart(2, "0")}.000Z`;
    await store.transaction(async (db) => {
      for (let number = 0; number < 1_260; number++) {
        await db.query("insert into write_intents (subject, intent_id, sent_at, settled_at) values ('s', $1, $2, $2)", [
          String(number),
          at(number),
        ]);
      }
    });
    let isDone = false;
    const deleting = deleteBefore(
      store,
      { table: "write_intents", key: "subject, intent_id", time: "settled_at" },
      at(50),
    ).then(() => {
      isDone = true;
    });
    const left: number[] = [];
    while (!isDone) {
      const [row] = await store.query<{ count: number }>("select count(*) as count from write_intents");
      left.push(Number(row?.count));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await deleting;
    const rows = await store.query<{ settled_at: string }>("select settled_at from write_intents");
    expect([rows.length, rows.every(({ settled_at }) => settled_at >= at(50))]).toEqual([210, true]);
    expect(left.every((count) => [1_260, 760, 260, 210].includes(count))).toBe(true);
  });
});
