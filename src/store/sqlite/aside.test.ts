import { join } from "node:path";
import { expect, test } from "vitest";
import { cleanUpLater, describeOnBothStores, newStore, temporaryFolder } from "../../../test/support/stores.ts";
import { StoreUnavailable } from "../db.ts";
import { openSqlite } from "./sqlite.ts";

// Counts for as long as it is told to, as a filter over very many people does.
const counting =
  "with recursive n (i) as (select 1 union all select i + 1 from n where i < $1) select count(*) as count from n";

describeOnBothStores("a question that may take long", (kind) => {
  test("is answered like any other, with what was committed before it", async () => {
    const store = await newStore(kind);
    const insert = "insert into organizations (id, name, project_creation, keys_on_reactivation, created_at) values";
    await store.transaction((db) => db.query(`${insert} ('org_a', 'A', 'admins', 'keep', '2026')`));
    const sql = "select id, name from organizations where id = $1";
    expect(await store.queryAside(sql, ["org_a"])).toEqual([{ id: "org_a", name: "A" }]);
    expect(await Promise.all(["org_a", "org_b"].map((id) => store.queryAside(sql, [id])))).toEqual([
      [{ id: "org_a", name: "A" }],
      [],
    ]);
    await expect(store.queryAside("select nothing from nowhere", [])).rejects.toThrow();
    expect(await store.queryAside("select 1 as one", [])).toEqual([{ one: 1 }]);
  });
});

test("it holds up nobody: the event loop turns while SQLite works on it", async () => {
  const store = await newStore("sqlite");
  let turns = 0;
  let isAnswered = false;
  const answer = store.queryAside(counting, [2_000_000]).finally(() => {
    isAnswered = true;
  });
  while (!isAnswered) {
    turns++;
    expect(await store.query("select 1 as one")).toEqual([{ one: 1 }]);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await answer).toEqual([{ count: 2_000_000 }]);
  expect(turns).toBeGreaterThan(100);
});

test("it cannot write, and a store that closes answers nobody any more", async () => {
  const store = openSqlite(join(temporaryFolder(), "aside.sqlite"));
  cleanUpLater(() => store.close());
  await expect(store.queryAside("create table notes (id text)", [])).rejects.toThrow();
  const [slow, next] = [store.queryAside(counting, [500_000]), store.queryAside("select 1 as one", [])];
  const refused = Promise.all([slow, next].map((each) => expect(each).rejects.toBeInstanceOf(StoreUnavailable)));
  await store.close();
  await refused;
  await expect(store.queryAside("select 1 as one", [])).rejects.toBeInstanceOf(StoreUnavailable);
});

test("a transaction of many statements may let others have their turn between them", async () => {
  const store = await newStore("sqlite");
  const turns = 250;
  const done = await store.transaction(async (db) => {
    for (let turn = 0; turn < turns; turn++) {
      await db.query("select 1 as one");
      await new Promise((resolve) => setImmediate(resolve));
    }
    return turns;
  });
  expect(done).toBe(turns);
});
