import { readFileSync, stat } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { cleanUpLater, temporaryFolder } from "../../../test/support/stores.ts";
import { type Db, type Store, StoreUnavailable } from "../db.ts";
import { knownMigrations } from "../migrate.ts";
import { openSqlite } from "./sqlite.ts";

async function newNotes(): Promise<{ store: Store; file: string }> {
  const file = join(temporaryFolder(), "notes.sqlite");
  const store = openSqlite(file);
  cleanUpLater(() => store.close());
  await store.exclusively((_db, runScript) =>
    runScript(`create table notes (id text primary key, note text);
               create table answers (note_id text references notes (id) deferrable initially deferred)`),
  );
  return { store, file };
}

const keep = (db: Db, id: string, note = "") => db.query("insert into notes (id, note) values ($1, $2)", [id, note]);
const kept = async (db: Db) =>
  (await db.query<{ id: string }>("select id from notes order by id")).map((row) => row.id);
const manyAtOnce = <T>(count: number, work: (i: number) => Promise<T>) =>
  Promise.allSettled(Array.from({ length: count }, (_, i) => work(i)));
function standStill(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * How often the file was committed to. In the write-ahead log each page is a frame, and the last frame of a commit says
 * how large the database is after it; the others say 0.
 */
function commitsIn(file: string): number {
  const log = readFileSync(`${file}-wal`);
  const frameBytes = 24 + log.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at + frameBytes <= log.length; at += frameBytes) if (log.readUInt32BE(at + 4) > 0) commits++;
  return commits;
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

  test("at most eight callers of a commit resume in one turn of the event loop while turns are long", async () => {
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
    expect(Math.max(...crowds)).toBeLessThanOrEqual(8);
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

  // R5 holds "on any node": a deactivation by an operator's command is a commit of another process.
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
