import { expect, test } from "vitest";
import { describeOnBothStores, newStore, type StoreKind } from "../../test/support/stores.ts";
import { type Db, type Store, StoreUnavailable } from "./db.ts";

async function storeWithNotes(kind: StoreKind): Promise<Store> {
  const store = await newStore(kind);
  await store.exclusively((_db, runScript) =>
    runScript("create table notes (id text primary key, size integer not null, total bigint not null)"),
  );
  return store;
}

const keep = (db: Db, id: string) => db.query("insert into notes (id, size, total) values ($1, 1, 1)", [id]);
const kept = async (db: Db) =>
  (await db.query<{ id: string }>("select id from notes order by id")).map((row) => row.id);

describeOnBothStores("a transaction", (kind) => {
  test("that fails leaves no changes", async () => {
    const store = await storeWithNotes(kind);
    const failing = store.transaction(async (db) => {
      await keep(db, "half");
      throw new Error("the rule refused");
    });
    await expect(failing).rejects.toThrow("the rule refused");
    expect(await kept(store)).toEqual([]);
  });

  test("that fails does not affect others that arrived at the same moment", async () => {
    const store = await storeWithNotes(kind);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, i) =>
        store.transaction(async (db) => {
          await keep(db, `n${i}`);
          // One in three fails in the rule, one in three in the database: the row exists already.
          if (i % 3 === 1) throw new Error("the rule refused");
          if (i % 3 === 2) await keep(db, `n${i}`);
        }),
      ),
    );
    const expected = outcomes.map((_, i) => (i % 3 === 0 ? "fulfilled" : "rejected"));
    expect(outcomes.map((outcome) => outcome.status)).toEqual(expected);
    const survivors = expected.flatMap((status, i) => (status === "fulfilled" ? [`n${i}`] : [])).sort();
    expect(await kept(store)).toEqual(survivors);
  });

  test("sees its own changes, and no other caller does before it commits", async () => {
    const store = await storeWithNotes(kind);
    await store.transaction(async (db) => {
      await keep(db, "mine");
      expect(await kept(db)).toEqual(["mine"]);
      expect(await kept(store)).toEqual([]);
    });
    expect(await kept(store)).toEqual(["mine"]);
  });

  test("opened on a db inside another one joins it", async () => {
    const store = await storeWithNotes(kind);
    const failing = store.transaction(async (db) => {
      await db.transaction((joined) => keep(joined, "inner"));
      throw new Error("the outer one failed");
    });
    await expect(failing).rejects.toThrow("the outer one failed");
    expect(await kept(store)).toEqual([]);
  });

  test("that has ended disables its db: no late write enters another transaction", async () => {
    const store = await storeWithNotes(kind);
    let straggler: Promise<unknown> = Promise.resolve();
    const failing = store.transaction(async (db) => {
      // Left running by a rule that failed: its write arrives while another transaction is open.
      straggler = failing.catch(() => keep(db, "straggler"));
      straggler.catch(() => {});
      await keep(db, "given up");
      throw new Error("given up");
    });
    const neighbour = store.transaction(async (db) => {
      await keep(db, "neighbour");
    });
    await expect(failing).rejects.toThrow("given up");
    await neighbour;
    await expect(straggler).rejects.toThrow("has ended");
    expect(await kept(store)).toEqual(["neighbour"]);
  });

  test("returns the result of its work", async () => {
    const store = await storeWithNotes(kind);
    expect(await store.transaction(async () => ({ answer: 42 }))).toEqual({ answer: 42 });
  });

  test("counts correctly when many callers add to one row at once", async () => {
    const store = await storeWithNotes(kind);
    await store.transaction((db) => keep(db, "counter"));
    const addOne = () =>
      store.transaction(async (db) => {
        const [row] = await db.query<{ size: number }>(`select size from notes where id = 'counter' ${db.lockRow}`);
        await db.query("update notes set size = $1 where id = 'counter'", [(row?.size ?? 0) + 1]);
      });
    await Promise.all(Array.from({ length: 100 }, addOne));
    expect(await store.query("select size from notes")).toEqual([{ size: 101 }]);
  });
});

describeOnBothStores("a query", (kind) => {
  test("returns counts and sums as numbers", async () => {
    const store = await storeWithNotes(kind);
    await store.transaction(async (db) => {
      for (const id of ["a", "b", "c"]) await keep(db, id);
    });
    const [row] = await store.query("select count(*) as count, sum(size) as sizes, max(total) as total from notes");
    expect(row).toEqual({ count: 3, sizes: 3, total: 1 });
  });

  test("binds each numbered parameter, in any order and more than once", async () => {
    const store = await storeWithNotes(kind);
    const [row] = await store.query(
      "select cast($2 as text) as second, cast($1 as text) as first, cast($2 as text) as again",
      ["one", "two"],
    );
    expect(row).toEqual({ second: "two", first: "one", again: "two" });
  });

  test("treats a value as a value, whatever text it holds", async () => {
    const store = await storeWithNotes(kind);
    const hostile = `x'); drop table notes; -- $1 ? "`;
    await store.transaction((db) => keep(db, hostile));
    expect(await kept(store)).toEqual([hostile]);
  });
});

describeOnBothStores("a closed store", (kind) => {
  test("finishes accepted work, and refuses later calls as unreachable", async () => {
    const store = await storeWithNotes(kind);
    const accepted = [1, 2, 3].map((i) => store.transaction(async (db) => void (await keep(db, `n${i}`))));
    const closing = store.close();
    await expect(Promise.all(accepted)).resolves.toBeDefined();
    await closing;
    await expect(store.query("select 1 as one")).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(store.transaction((db) => keep(db, "late"))).rejects.toBeInstanceOf(StoreUnavailable);
  });

  test("can be closed twice", async () => {
    const store = await storeWithNotes(kind);
    await Promise.all([store.close(), store.close()]);
    await expect(store.close()).resolves.toBeUndefined();
  });
});
