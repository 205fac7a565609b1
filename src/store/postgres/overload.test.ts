import { describe, expect, inject, test } from "vitest";
import { startPgBouncer } from "../../../test/support/databases/postgres.ts";
import { cleanUpLater, newPostgresDatabase } from "../../../test/support/stores.ts";
import type { Db, Store } from "../db.ts";
import { shareCommits } from "../share-commits.ts";
import { defaultTimeouts } from "./pools.ts";
import { openPostgres } from "./postgres.ts";

const lock = "select pg_advisory_xact_lock(1)::text";
const addOne = (db: Db) => db.query("update notes set size = size + 1");
const sizeOf = async (db: Db) => (await db.query<{ size: number }>("select size from notes"))[0]?.size;

function open(url: string, connections: number, limits: Partial<typeof defaultTimeouts> = {}): Store {
  const store = openPostgres(url, connections, { ...defaultTimeouts, check: 10, ...limits });
  cleanUpLater(() => store.close());
  return store;
}

const makeNotes = (store: Store) =>
  store.exclusively((_db, runScript) =>
    runScript("create table notes (size integer not null); insert into notes values (0)"),
  );

/** Holds what the others wait for. */
async function holding(url: string, work: (other: Store) => Promise<void>): Promise<void> {
  const other = open(url, 2);
  await other.transaction(async (db) => {
    await db.query(lock);
    await work(other);
  });
}

const waitForLocks = (other: Store, count: number) =>
  expect
    .poll(() => other.query("select count(*) as n from pg_locks where not granted and locktype = 'advisory'"))
    .toEqual([{ n: count }]);

describe.skipIf(inject("postgresUrl") === null)("a pool whose connections are all in use", () => {
  // "The pool refuses when its queue is too old."
  test("a caller that waits too long is refused as overloaded, and those that have a connection finish", async () => {
    const url = await newPostgresDatabase();
    const store = open(url, 3, { lock: 60_000, queue: 100 });
    await makeNotes(store);
    const underWay: Promise<unknown>[] = [];
    await holding(url, async (other) => {
      const wait = async (db: Db) => {
        await db.query(lock);
        await addOne(db);
      };
      underWay.push(...Array.from({ length: 3 }, () => store.transaction(wait)));
      await waitForLocks(other, 3);
      const share = shareCommits(store);
      const late = [
        sizeOf(store),
        store.transaction(addOne),
        store.querySlow("select 1"),
        share(addOne, "a"),
        share(addOne, "b"),
      ];
      for (const end of await Promise.allSettled(late)) expect(end).toMatchObject({ reason: { reason: "overloaded" } });
    });
    await Promise.all(underWay);
    expect(await sizeOf(store)).toBe(3);
  });

  test("authentication is refused as overloaded, too, and what was sent before finishes", async () => {
    const url = await newPostgresDatabase();
    const store = open(url, 6, { lock: 60_000, queue: 100 });
    await store.exclusively(async () => {});
    const sent: Promise<unknown>[] = [];
    await holding(url, async (other) => {
      // Sixteen over each of the two connections, where the first one waits.
      sent.push(...Array.from({ length: 32 }, () => store.reserve.query(lock)));
      await waitForLocks(other, 2);
      await expect(store.reserve.query("select 1")).rejects.toMatchObject({ reason: "overloaded" });
    });
    await Promise.all(sent);
  });

  test("a caller that waits when a connection is lost gets one of the next pool", async () => {
    const url = await newPostgresDatabase();
    const store = open(url, 2, { lock: 60_000 });
    const waiting: Promise<unknown>[] = [];
    await holding(url, async (other) => {
      const lost = Array.from({ length: 2 }, () => store.query(lock));
      await waitForLocks(other, 2);
      waiting.push(store.query("select 1 as one"));
      await other.query("select pg_terminate_backend(pid) from pg_locks where not granted and locktype = 'advisory'");
      for (const end of await Promise.allSettled(lost)) expect(end.status).toBe("rejected");
      expect(await Promise.all(waiting)).toEqual([[{ one: 1 }]]);
    });
  });

  test("slow searches take half of the connections at most, so the others are served", async () => {
    const url = await newPostgresDatabase();
    const store = open(url, 4, { lock: 60_000 });
    await store.exclusively(async () => {});
    const searches: Promise<unknown>[] = [];
    await holding(url, async (other) => {
      searches.push(...Array.from({ length: 6 }, () => store.querySlow(lock)));
      await waitForLocks(other, 2);
      expect(await store.query("select 1 as one")).toEqual([{ one: 1 }]);
      await store.transaction((db) => db.query("select 1"));
    });
    await Promise.all(searches);
  });
});

describe.skipIf(inject("postgresUrl") === null)("a statement that takes too long", () => {
  test.for(["the server", "PgBouncer in transaction mode"])(
    "is ended by the server: connected to %s",
    async (way, { skip }) => {
      const direct = await newPostgresDatabase();
      const pooler = way === "the server" ? null : await startPgBouncer(direct);
      if (typeof pooler === "string") return skip(pooler);
      if (pooler) cleanUpLater(() => pooler.stop());
      const store = open(pooler?.url ?? direct, 3, { statement: 200, answer: 60_000 });
      await makeNotes(store);
      const slow = store.transaction(async (db) => {
        await addOne(db);
        await db.query("select pg_sleep(600)");
      });
      await expect(slow).rejects.toMatchObject({ reason: "overloaded" });
      if (!pooler) await expect(store.query("select pg_sleep(600)")).rejects.toMatchObject({ reason: "overloaded" });
      expect(await sizeOf(store)).toBe(0);
    },
  );

  test("a migration takes as long as it needs", async () => {
    const store = open(await newPostgresDatabase(), 3, { statement: 50 });
    await store.exclusively((db) => db.query("select pg_sleep(0.2)"));
  });

  // "One overdue statement refused three healthy transactions."
  test("a transaction past its deadline is refused and leaves nothing, and the others of its pool finish", async () => {
    const store = open(await newPostgresDatabase(), 4, { statement: 200, answer: 0 });
    await makeNotes(store);
    await store.exclusively(async (db) => {
      await addOne(db);
      const ended = Promise.withResolvers<string>();
      const late = store.transaction(async (inside) => {
        await inside.query("insert into notes values (100)");
        const goOn = (): Promise<void> => inside.query("select pg_sleep(0.01)").then(goOn);
        await goOn().catch((error) => {
          ended.resolve(error.message);
          throw error;
        });
      });
      await expect(late).rejects.toMatchObject({ reason: "unreachable" });
      expect(await ended.promise).toContain("took too long");
      expect(await store.query("select 1 as one")).toEqual([{ one: 1 }]);
      await addOne(db);
    });
    expect(await store.query("select size from notes")).toEqual([{ size: 2 }]);
  });
});
