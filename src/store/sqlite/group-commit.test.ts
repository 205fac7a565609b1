import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { commitsIn, keep, kept, manyAtOnce, newNotes, nextTurn } from "../../../test/support/databases/sqlite-notes.ts";
import { resumedMin } from "./resume-callers.ts";

function standStill(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

// "Concurrent transactions share one fsync; each keeps its own savepoint, so one that fails takes no neighbour with it;
// nothing is acknowledged before the fsync."
describe("group commit", () => {
  test("transactions that arrive together share one commit", async () => {
    const { store, file } = await newNotes();
    const before = commitsIn(file);
    await manyAtOnce(200, (i) => store.transaction((db) => keep(db, `together${i}`)));
    expect(commitsIn(file) - before).toBe(1);
    for (let i = 0; i < 5; i++) await store.transaction((db) => keep(db, `alone${i}`));
    expect(commitsIn(file) - before).toBe(6);
  });

  test("failing transactions do not affect the commit of the others", async () => {
    const { store, file } = await newNotes();
    const before = commitsIn(file);
    const outcomes = await manyAtOnce(100, (i) => store.transaction((db) => keep(db, `n${i >> 1}`)));
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(50);
    expect(commitsIn(file) - before).toBe(1);
    expect(await kept(store)).toHaveLength(50);
  });

  test("no more than 256 share one commit", async () => {
    const { store, file } = await newNotes();
    const before = commitsIn(file);
    await manyAtOnce(600, (i) => store.transaction((db) => keep(db, `n${i}`)));
    expect(commitsIn(file) - before).toBe(3);
    expect(await kept(store)).toHaveLength(600);
  });

  // "Nothing that a caller, a tenant or an external system chooses may take more than 50 ms of the event loop."
  test("large transactions that arrive together do not share one large commit", async () => {
    const { store, file } = await newNotes();
    const before = commitsIn(file);
    const outcomes = await manyAtOnce(7, (i) =>
      store.transaction((db) => keep(db, `${"x".repeat(3_000_000)}${i === 3 ? 2 : i}`)),
    );
    expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(1);
    // Two each; the one that fails is undone in its own.
    expect(commitsIn(file) - before).toBe(4);
    expect(await kept(store)).toHaveLength(6);
  });

  // "Bound what one turn of the loop does (… batches)."
  test("a long batch yields to the event loop, and is still one commit", async () => {
    const { store, file } = await newNotes();
    const before = commitsIn(file);
    let turns = 0;
    let isOver = false;
    const others = (async () => {
      for (; !isOver; turns++) await nextTurn();
    })();
    await manyAtOnce(50, (i) =>
      store.transaction(async (db) => {
        await keep(db, `n${i}`);
        standStill(5);
      }),
    );
    isOver = true;
    await others;
    expect(turns).toBeGreaterThan(45);
    expect(commitsIn(file) - before).toBe(1);
  });

  test("at most three callers of a commit resume in one turn of the event loop while turns are long", async () => {
    const { store } = await newNotes();
    const order: string[] = [];
    let isOver = false;
    const turns = (async () => {
      for (; !isOver; await nextTurn()) order.push("turn");
    })();
    const inOrder = Array.from({ length: 100 }, (_, i) =>
      store
        .transaction((db) => keep(db, `n${i}`))
        .then(() => {
          order.push(`n${i}`);
          standStill(1);
        }),
    );
    await Promise.all(inOrder);
    isOver = true;
    await turns;
    const crowds = order
      .join(" ")
      .split("turn")
      .map((names) => names.trim().split(" ").filter(Boolean).length);
    expect(Math.max(...crowds)).toBe(resumedMin);
    expect(order.filter((each) => each !== "turn")).toEqual(Array.from({ length: 100 }, (_, i) => `n${i}`));
  });

  test("a cached query returns the old rows while a batch changes them, and the new ones after its commit", async () => {
    const { store } = await newNotes();
    await store.transaction((db) => keep(db, "before"));
    expect(await kept(store)).toEqual(["before"]);
    await store.transaction(async (db) => {
      await keep(db, "inside");
      await nextTurn();
      expect(await kept(store)).toEqual(["before"]);
      expect(await kept(db)).toEqual(["before", "inside"]);
      expect(await kept(store)).toEqual(["before"]);
    });
    expect(await kept(store)).toEqual(["before", "inside"]);
  });

  test("nothing is acknowledged, nor seen by a reader, before the commit that holds it", async () => {
    const { store, file } = await newNotes();
    const seenFromOutside = () =>
      new DatabaseSync(file, { readOnly: true }).prepare("select id from notes").all().length;
    let acknowledged = false;
    const first = store
      .transaction((db) => keep(db, "first"))
      .then(() => {
        acknowledged = true;
        return seenFromOutside();
      });
    const second = store.transaction(async (db) => {
      // The first transaction's work is done, and its commit waits for this one.
      expect(await kept(db)).toEqual(["first"]);
      for (let i = 0; i < 20; i++) await nextTurn();
      expect(acknowledged).toBe(false);
      expect(await kept(store)).toEqual([]);
      expect(seenFromOutside()).toBe(0);
    });
    expect(await first).toBe(1);
    await second;
  });

  test("when the commit itself fails, every transaction in it is refused, and the next ones are not", async () => {
    const { store } = await newNotes();
    const outcomes = await manyAtOnce(10, (i) =>
      store.transaction(async (db) => {
        await keep(db, `n${i}`);
        // Checked at the commit and not before: an answer to a note that does not exist.
        if (i === 4) await db.query("insert into answers (note_id) values ('nobody')");
      }),
    );
    expect(outcomes.map((outcome) => outcome.status)).toEqual(Array(10).fill("rejected"));
    expect(await kept(store)).toEqual([]);
    await store.transaction((db) => keep(db, "after"));
    expect(await kept(store)).toEqual(["after"]);
  });
});
