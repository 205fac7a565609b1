import { describe, expect, inject, test } from "vitest";
import { type CuttableProxy, startProxy } from "../../../test/support/network/cuttable-proxy.ts";
import { cleanUpLater, newPostgresDatabase } from "../../../test/support/stores.ts";
import { type Db, type Store, StoreUnavailable } from "../db.ts";
import { defaultTimeouts } from "./pools.ts";
import { openPostgres } from "./postgres.ts";

async function newCounter(timeouts = defaultTimeouts): Promise<{ store: Store; proxy: CuttableProxy; direct: Store }> {
  const url = new URL(await newPostgresDatabase());
  const direct = openPostgres(url.href, 1);
  cleanUpLater(() => direct.close());
  const proxy = await startProxy(Number(url.port));
  url.port = String(proxy.port);
  const store = openPostgres(url.href, 10, timeouts);
  cleanUpLater(() => store.close());
  await store.exclusively((_db, runScript) =>
    runScript("create table notes (id text primary key, size integer not null); insert into notes values ('a', 0)"),
  );
  return { store, proxy, direct };
}

/** Longer than any test. */
const never = 3_600_000;
const addOne = (db: Db) => db.query("update notes set size = size + 1 where id = 'a'");
const countOf = async (db: Db) => (await db.query<{ size: number }>("select size from notes"))[0]?.size ?? Number.NaN;
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

// R9: "DB down: no corruption, clear 503, recovery without hands."
describe.skipIf(inject("postgresUrl") === null)("PostgreSQL behind a connection that breaks", () => {
  test("a running statement fails as unreachable, its transaction leaves no changes, and the next one works", async () => {
    const { store, proxy } = await newCounter();
    const cut = store.transaction(async (db) => {
      await addOne(db);
      const never = db.query("select pg_sleep(60)");
      setImmediate(proxy.cut);
      await never;
    });
    await expect(cut).rejects.toMatchObject({ reason: "unreachable" });
    expect(await countOf(store)).toBe(0);
    await store.transaction(addOne);
    expect(await countOf(store)).toBe(1);
  });

  test("a transaction that continues without its connection writes nothing", async () => {
    const { store, proxy } = await newCounter();
    let wentOn: Promise<unknown> = Promise.resolve();
    const cut = store.transaction(async (db) => {
      await addOne(db);
      proxy.cut();
      wentOn = cut.catch(() => addOne(db));
      await wentOn;
    });
    await expect(cut).rejects.toMatchObject({ reason: "unreachable" });
    await expect(wentOn).rejects.toThrow("has ended");
    expect(await countOf(store)).toBe(0);
  });

  test("a pool that lost a connection settles all that it has begun", async () => {
    const { store, proxy } = await newCounter({ ...defaultTimeouts, leave: never });
    const refused: string[] = [];
    for (let round = 0; round < 5; round++) {
      const works = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? store.transaction(addOne) : countOf(store)));
      proxy.cut();
      for (const end of await Promise.allSettled(works)) {
        if (end.status === "rejected") refused.push(end.reason.cause.message);
      }
    }
    expect(refused.filter((why) => !/ECONN|CONNECTION_/.test(why))).toEqual([]);
  });

  // The driver gives up its connections and leaves the transaction to a socket that nobody closes.
  test("what it has not finished in time is refused, though the server does not respond any more", async () => {
    const { store, proxy, direct } = await newCounter({ ...defaultTimeouts, leave: 20, slow: never, statement: never });
    const begun = Promise.withResolvers<void>();
    const hung = Promise.withResolvers<void>();
    const refused = store.transaction(async (db) => {
      await addOne(db);
      begun.resolve();
      await hung.promise;
      await addOne(db);
    });
    const outcome = expect(refused).rejects.toMatchObject({ reason: "unreachable" });
    await begun.promise;
    const lost = store.query("select pg_sleep(60)").catch(proxy.hang);
    const terminate = `select pg_terminate_backend(pid) as done from pg_stat_activity
      where query = 'select pg_sleep(60)' and datname = current_database()`;
    await expect.poll(() => direct.query(terminate)).toEqual([{ done: true }]);
    await lost;
    hung.resolve();
    await outcome;
    expect(await countOf(direct)).toBe(0);
    proxy.goOn();
  });

  test("while it is down every call is refused, and once it is back every call works", async () => {
    const { store, proxy } = await newCounter();
    proxy.close();
    const refused = await Promise.allSettled([
      ...Array.from({ length: 20 }, () => store.transaction(addOne)),
      ...Array.from({ length: 20 }, () => countOf(store)),
    ]);
    for (const outcome of refused) expect(outcome).toMatchObject({ reason: { reason: "unreachable" } });
    proxy.open();
    await Promise.all(Array.from({ length: 20 }, () => store.transaction(addOne)));
    expect(await countOf(store)).toBe(20);
  });

  test("with connections cut repeatedly under load, nothing acknowledged is lost, nothing is done twice, and no caller hangs", async () => {
    const { store, proxy } = await newCounter();
    let acknowledged = 0;
    let unknown = 0;
    let isOver = false;
    const odd: unknown[] = [];
    const client = async (work: () => Promise<void>) => {
      while (!isOver) {
        await work().catch((error) => {
          if (!(error instanceof StoreUnavailable)) odd.push(error);
        });
      }
    };
    const writing = async () => {
      unknown++;
      await store.transaction(addOne);
      unknown--;
      acknowledged++;
    };
    const reading = async () => void (await countOf(store));
    const clients = Array.from({ length: 32 }, (_, i) => client(i % 2 === 0 ? writing : reading));
    for (let round = 1; round <= 10; round++) {
      while (acknowledged < round * 20 && odd.length === 0) await nextTurn();
      proxy.cut();
    }
    isOver = true;
    await Promise.all(clients);
    expect(odd).toEqual([]);
    const count = await countOf(store);
    expect(count).toBeGreaterThanOrEqual(acknowledged);
    // A transaction whose commit was cut off may have happened or not.
    expect(count).toBeLessThanOrEqual(acknowledged + unknown);
  });
});
