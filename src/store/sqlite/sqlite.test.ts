import { stat } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { keep, kept, manyAtOnce, newNotes, nextTurn } from "../../../test/support/databases/sqlite-notes.ts";
import { type Db, StoreUnavailable } from "../db.ts";
import { knownMigrations } from "../migrate.ts";

describe("the embedded store's rules", () => {
  test("a transaction opened on the store inside another one is refused instead of hanging", async () => {
    const { store } = await newNotes();
    const nested = store.transaction(async (db) => {
      await keep(db, "outer");
      await store.transaction((inner) => keep(inner, "inner"));
    });
    await expect(nested).rejects.toThrow("or a transaction opened inside it");
    expect(await kept(store)).toEqual([]);
    // A caller that awaits a transaction is not inside it: the next one may follow in the same function.
    await store.transaction((db) => keep(db, "a"));
    await store.transaction((db) => keep(db, "b"));
    // The inner one ran alone, after the outer one had failed.
    expect(await kept(store)).toEqual(["a", "b", "inner"]);
  });

  test("a write after its transaction has failed does not enter the next transaction of the batch", async () => {
    const { store } = await newNotes();
    let straggler: Promise<unknown> = Promise.resolve();
    const failing = store.transaction(async (db) => {
      // Left running by a rule that failed: its write arrives while the next transaction is open.
      straggler = nextTurn().then(() => keep(db, "straggler"));
      straggler.catch(() => {});
      throw new Error("given up");
    });
    const neighbour = store.transaction(async (db) => {
      await keep(db, "neighbour");
      for (let i = 0; i < 5; i++) await nextTurn();
    });
    await expect(failing).rejects.toThrow("given up");
    await neighbour;
    await expect(straggler).rejects.toThrow("has ended");
    expect(await kept(store)).toEqual(["neighbour"]);
  });

  // R4 holds "on any node": a deactivation by an operator's command is a commit of another process.
  test("every request sees what another process has committed before it", async () => {
    const { store, file } = await newNotes();
    const other = new DatabaseSync(file, { timeout: 10_000 });
    let stale = 0;
    for (let round = 1; round <= 50; round++) {
      await nextTurn();
      await kept(store);
      other.exec(`insert into notes (id) values ('n${round}')`);
      // An external event of the next turn of the event loop, as a request would be.
      const arrived = new Promise<void>((resolve) => stat(file, () => resolve()));
      for (const end = performance.now() + 2; performance.now() < end; );
      await arrived;
      if ((await kept(store)).length < round) stale++;
    }
    other.close();
    expect(stale).toBe(0);
  });

  // A repeated query may come from the cache, until a commit changes a table that it names.
  test.each([
    ["an insert", "insert into notes (id, note) values ('b', 'new')"],
    [
      "an insert that may find its row",
      "insert into notes (id) values ('a') on conflict (id) do update set note = 'new'",
    ],
    ["an update", "update notes set note = 'new' where id = 'a'"],
    ["a delete", "delete from notes where id = 'a'"],
    [
      "a statement that begins otherwise",
      "with one as (select 'a' as id) delete from notes where id in (select id from one)",
    ],
    ["a replacement", "replace into notes (id, note) values ('a', 'new')"],
  ])("%s is seen by the next query, whichever of its tables changed", async (_what, sql) => {
    const { store } = await newNotes();
    await store.transaction((db) => keep(db, "a", "old"));
    const question = "select n.note from (select 1 as one) o left join notes n on n.id <> $1 order by n.note";
    const before = await store.query(question, [""]);
    await store.transaction((db) => db.query("insert into answers (note_id) values ('a')"));
    expect(await store.query(question, [""])).toEqual(before);
    await store.transaction((db) => db.query("delete from answers where note_id = $1", ["a"]));
    await store.transaction((db) => db.query(sql));
    expect(await store.query(question, [""])).not.toEqual(before);
  });

  // A change by the database itself would not be recorded.
  test("no migration lets a change of one table cascade to another", () => {
    for (const { name, sql } of knownMigrations()) {
      expect([name, /\bon (delete|update) (cascade|set)\b/i.test(sql)]).toEqual([name, false]);
      const triggers = sql.match(/create trigger[\s\S]*?(?:\bend;|;)/gi) ?? [];
      const writing = triggers.filter((text) => /\b(insert into|delete from|update \w+ set)\b/i.test(text));
      expect([name, writing]).toEqual([name, []]);
    }
  });

  test("a transaction sees its own writes, those of its batch, and what another process committed before it", async () => {
    const { store, file } = await newNotes();
    const count = async (db: Db) => (await kept(db)).length;
    expect(await count(store)).toBe(0);
    const other = new DatabaseSync(file, { timeout: 10_000 });
    other.exec("insert into notes (id) values ('other')");
    other.close();
    const counts = await Promise.all(
      ["a", "b"].map((id) =>
        store.transaction(async (db) => {
          const before = await count(db);
          await keep(db, id);
          return [before, await count(db)];
        }),
      ),
    );
    expect(counts).toEqual([
      [1, 2],
      [2, 3],
    ]);
    const undone = store.transaction(async (db) => {
      await keep(db, "c");
      await count(db);
      throw new Error("given up");
    });
    await expect(undone).rejects.toThrow("given up");
    expect(await store.transaction(count)).toBe(3);
  });

  test("a write outside a transaction is refused", async () => {
    const { store } = await newNotes();
    await expect(keep(store, "outside")).rejects.toThrow("readonly");
    expect(await kept(store)).toEqual([]);
  });

  test("every commit is synced to the disk: write-ahead log, synchronous full, foreign keys on", async () => {
    const { store } = await newNotes();
    const pragmas = await store.transaction(async (db) => [
      ...(await db.query("pragma journal_mode")),
      ...(await db.query("pragma synchronous")),
      ...(await db.query("pragma foreign_keys")),
    ]);
    expect(pragmas).toEqual([{ journal_mode: "wal" }, { synchronous: 2 }, { foreign_keys: 1 }]);
  });
});

describe("a full disk", () => {
  test("refuses every transaction of the commit as full, still reads, and accepts writes again once there is space", async () => {
    const { store } = await newNotes();
    await store.transaction((db) => keep(db, "before"));
    const pagesMax = (pages: string) => store.transaction((db) => db.query(`pragma max_page_count = ${pages}`));
    const [size] = await store.query<{ page_count: number }>("pragma page_count");
    await pagesMax(String((size?.page_count ?? 0) + 2));
    const outcomes = await manyAtOnce(3, (i) =>
      store.transaction((db) => keep(db, `n${i}`, i === 1 ? "x".repeat(50_000) : "")),
    );
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: "rejected", reason: expect.any(StoreUnavailable) });
      expect(outcome).toMatchObject({ reason: { reason: "full" } });
    }
    expect(await kept(store)).toEqual(["before"]);
    await pagesMax("100000");
    await store.transaction((db) => keep(db, "after", "x".repeat(50_000)));
    expect(await kept(store)).toEqual(["after", "before"]);
    expect(await store.query("pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
  });
});
