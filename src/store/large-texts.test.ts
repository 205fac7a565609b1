import { expect, test } from "vitest";
import { describeOnBothStores, newStore } from "../../test/support/stores.ts";
import { nextTurn } from "../kernel/work-in-slices.ts";
import type { Store } from "./db.ts";
import {
  deleteUnownedTexts,
  isReference,
  markTextsForDeletion,
  ownText,
  readText,
  storeLargeText,
} from "./large-texts.ts";

const now = new Date("2026-03-01T10:00:00Z");
const later = (hours: number): Date => new Date(now.getTime() + hours * 3600_000);
/** Characters of two halves at every boundary of a part, whatever its size. */
const large = JSON.stringify(`x${"😀".repeat(500_000)}`);

const countIn = async (store: Store, table: string): Promise<number> =>
  Number((await store.query<{ count: number }>(`select count(*) as count from ${table}`))[0]?.count);

describeOnBothStores("large texts", (kind) => {
  test("are read as they were written, and small ones stay in the column", async () => {
    const store = await newStore(kind);
    const column = await storeLargeText(store, large, now);
    expect(isReference(column)).toBe(kind === "sqlite");
    expect(await readText(store, column)).toBe(large);
    expect(await storeLargeText(store, '{"a":1}', now)).toBe('{"a":1}');
    expect(await readText(store, '{"a":1}')).toBe('{"a":1}');
  });

  test("without a row are deleted after an hour", async () => {
    const store = await newStore(kind);
    const column = await storeLargeText(store, large, now);
    await deleteUnownedTexts(store, later(0.9));
    expect(await readText(store, column)).toBe(large);
    await deleteUnownedTexts(store, later(1.1));
    expect([await countIn(store, "large_texts"), await countIn(store, "unowned_texts")]).toEqual([0, 0]);
  });
});

describeOnBothStores("a row of a large text", (kind) => {
  test("keeps it until the row is deleted, and no second row can have it", async () => {
    const store = await newStore(kind);
    const column = await storeLargeText(store, large, now);
    expect(await store.transaction((db) => ownText(db, column))).toBe(true);
    expect(await store.transaction((db) => ownText(db, column))).toBe(kind === "postgres");
    await deleteUnownedTexts(store, later(1000));
    expect(await readText(store, column)).toBe(large);
    await insertEvent(store, column);
    await store.transaction((db) => markTextsForDeletion(db, { table: "events", column: "body" }, ["evt_1", "evt_2"]));
    await deleteUnownedTexts(store, now);
    expect([await countIn(store, "large_texts"), await countIn(store, "unowned_texts")]).toEqual([0, 0]);
  });

  test("gets all of it or nothing, when it comes while the text is deleted", async () => {
    const store = await newStore(kind);
    const column = await storeLargeText(store, large, now);
    const deleting = deleteUnownedTexts(store, later(2));
    // Once the first part is gone, or all of them are.
    while (kind === "sqlite" && (await countIn(store, "large_texts")) > 3) await nextTurn();
    const isOwned = await store.transaction((db) => ownText(db, column));
    await deleting;
    expect([isOwned, await countIn(store, "large_texts")]).toEqual([kind === "postgres", 0]);
  });

  test("that is not stored after all leaves it to be deleted", async () => {
    const store = await newStore(kind);
    const column = await storeLargeText(store, large, now);
    const failed = store.transaction(async (db) => {
      await ownText(db, column);
      throw new Error("not stored");
    });
    await expect(failed).rejects.toThrow("not stored");
    await deleteUnownedTexts(store, later(2));
    expect(await countIn(store, "large_texts")).toBe(0);
  });
});

/** Two rows: one with the reference, and one with a text of its own. */
const insertEvent = (store: Store, body: string): Promise<unknown> =>
  store.transaction(async (db) => {
    for (const [id, text] of [
      ["evt_1", body],
      ["evt_2", "{}"],
    ]) {
      await db.query(
        `insert into events (id, organization_id, project_id, agent_id, type, system_type, body, status, run_ids, created_at)
         values ($1, 'o', 'p', 'a', 't', 't', $2, 'ignored', '[]', '2026-03-01')`,
        [String(id), String(text)],
      );
    }
  });
