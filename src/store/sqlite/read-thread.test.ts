import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { cleanUpLater, describeOnBothStores, newStore, temporaryFolder } from "../../../test/support/stores.ts";
import { StoreUnavailable } from "../db.ts";
import { openReadThread } from "./read-thread.ts";
import { openSqlite } from "./sqlite.ts";

// Counts for a given time, like a filter over very many people.
const counting =
  "with recursive n (i) as (select 1 union all select i + 1 from n where i < $1) select count(*) as count from n";

describeOnBothStores("a slow query", (kind) => {
  test("returns what was committed before it, like any other", async () => {
    const store = await newStore(kind);
    const insert = "insert into organizations (id, name, project_creation, keys_on_reactivation, created_at) values";
    await store.transaction((db) => db.query(`${insert} ('org_a', 'A', 'admins', 'keep', '2026')`));
    const sql = "select id, name from organizations where id = $1";
    expect(await store.querySlow(sql, ["org_a"])).toEqual([{ id: "org_a", name: "A" }]);
    expect(await Promise.all(["org_a", "org_b"].map((id) => store.querySlow(sql, [id])))).toEqual([
      [{ id: "org_a", name: "A" }],
      [],
    ]);
    await expect(store.querySlow("select nothing from nowhere", [])).rejects.toThrow();
    expect(await store.querySlow("select 1 as one", [])).toEqual([{ one: 1 }]);
  });
});

test("a slow query does not block the event loop", async () => {
  const store = await newStore("sqlite");
  let turns = 0;
  let isAnswered = false;
  const answer = store.querySlow(counting, [2_000_000]).finally(() => {
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

test("a slow query cannot write, and fails when the store closes", async () => {
  const store = openSqlite(join(temporaryFolder(), "aside.sqlite"));
  cleanUpLater(() => store.close());
  await expect(store.querySlow("create table notes (id text)", [])).rejects.toThrow();
  const [slow, next] = [store.querySlow(counting, [500_000]), store.querySlow("select 1 as one", [])];
  const refused = Promise.all([slow, next].map((each) => expect(each).rejects.toBeInstanceOf(StoreUnavailable)));
  await store.close();
  await refused;
  await expect(store.querySlow("select 1 as one", [])).rejects.toBeInstanceOf(StoreUnavailable);
});

test("a transaction of many statements may yield between them", async () => {
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

describe("when the system refuses a thread", () => {
  /** Starts threads, except those with these numbers. */
  async function openRefusing(refused: readonly number[]) {
    const file = join(temporaryFolder(), "refused.sqlite");
    const store = openSqlite(file);
    cleanUpLater(() => store.close());
    const threads: Worker[] = [];
    let count = 0;
    const reads = openReadThread(file, (script) => {
      if (refused.includes(++count)) throw new Error("ERR_WORKER_INIT_FAILED");
      const thread = new Worker(script, { workerData: file, execArgv: [] });
      threads.push(thread);
      return thread;
    });
    cleanUpLater(() => reads.close());
    return { reads, threads };
  }
  const unreachable = { reason: "unreachable", cause: { message: "ERR_WORKER_INIT_FAILED" } };
  const one = "select 1 as one";

  test("the slow query fails as unreachable, and the next one tries again", async () => {
    const { reads } = await openRefusing([1, 2]);
    const refused = reads.query(one, []);
    await expect(refused).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(refused).rejects.toMatchObject(unreachable);
    await expect(reads.query(one, [])).rejects.toMatchObject(unreachable);
    expect(await reads.query(one, [])).toEqual([{ one: 1 }]);
  });

  test("queries that waited for a lost thread fail one by one, until a thread starts", async () => {
    const { reads, threads } = await openRefusing([2, 3]);
    const settled = Promise.allSettled([one, one, one, one].map((sql) => reads.query(sql, [])));
    threads[0]?.emit("error", new Error("out of memory"));
    await threads[0]?.terminate();
    const refused = { status: "rejected", reason: unreachable };
    expect(await settled).toMatchObject([
      { status: "rejected", reason: { reason: "unreachable", cause: { message: "out of memory" } } },
      refused,
      refused,
      { status: "fulfilled", value: [{ one: 1 }] },
    ]);
  });
});
