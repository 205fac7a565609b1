import { describe, expect, inject, test } from "vitest";
import { startPgBouncer } from "../../../test/support/databases/postgres.ts";
import { startProxy } from "../../../test/support/network/cuttable-proxy.ts";
import { cleanUpLater, newPostgresDatabase } from "../../../test/support/stores.ts";
import type { Db, Store } from "../db.ts";
import { defaultTimeouts } from "./pools.ts";
import { openPostgres } from "./postgres.ts";

async function open(url: string, limits: { idleInTransaction: number; lock: number }): Promise<Store> {
  const store = openPostgres(url, 5, { ...defaultTimeouts, ...limits });
  cleanUpLater(() => store.close());
  // As every start does: it finds out whether there is a pooler.
  await store.exclusively(async () => {});
  return store;
}

const makeNotes = (store: Store) =>
  store.exclusively((_db, runScript) =>
    runScript(`create table notes (id text primary key, size integer not null);
               insert into notes values ('a', 0);
               create sequence granted`),
  );

/** Counts everyone who gets the row, even those whose transaction is undone. */
const addOne = (db: Db) =>
  db.query("update notes set size = size + 1 where id = $1 returning nextval('granted')", ["a"]);
const waitingSql = `select count(*) as n from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;
const patient = { idleInTransaction: 60_000, lock: 60_000 };

describe.skipIf(inject("postgresUrl") === null)("locks of other nodes", () => {
  test.for(["the server", "PgBouncer in transaction mode"])(
    "a call that waits too long for a lock is refused as busy, changes nothing, and the next one works: connected to %s",
    async (way, { skip }) => {
      const direct = await newPostgresDatabase();
      const pooler = way === "the server" ? null : await startPgBouncer(direct);
      if (typeof pooler === "string") return skip(pooler);
      if (pooler) cleanUpLater(() => pooler.stop());
      const holder = await open(direct, patient);
      await makeNotes(holder);
      const store = await open(pooler?.url ?? direct, { ...patient, lock: 100 });
      await holder.transaction(async (db) => {
        await addOne(db);
        await expect(store.transaction(addOne)).rejects.toMatchObject({ reason: "busy" });
      });
      await store.transaction(addOne);
      expect(await store.query("select size from notes")).toEqual([{ size: 2 }]);
    },
  );

  // "The other node wrote only after 25 s": each transaction of the lost node got the row, one after the other.
  test("of the transactions of a node that was cut off, none gets a lock after the one that holds it", async () => {
    const url = new URL(await newPostgresDatabase());
    const direct = url.href;
    const other = await open(direct, patient);
    await makeNotes(other);
    const proxy = await startProxy(Number(url.port));
    url.port = String(proxy.port);
    const lost = await open(url.href, { idleInTransaction: 3_000, lock: 1_200 });
    const [held, cut] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = lost.transaction(async (db) => {
      await addOne(db);
      held.resolve();
      await expect.poll(() => other.query<{ n: number }>(waitingSql), { timeout: 10_000 }).toEqual([{ n: 3 }]);
      // From here on the server hears nothing of it.
      await db.query("select 1");
      proxy.hang();
      cut.resolve();
    });
    await held.promise;
    const ends = Promise.allSettled([holding, ...Array.from({ length: 3 }, () => lost.transaction(addOne))]);
    await cut.promise;
    await other.transaction(addOne);
    expect(await other.query("select size, (select last_value from granted) as granted from notes")).toEqual([
      { size: 1, granted: 2 },
    ]);
    proxy.goOn();
    await ends;
  });

  test("a migration waits for others for as long as they take", async () => {
    const url = await newPostgresDatabase();
    const store = await open(url, { ...patient, lock: 1_234 });
    const shown = await store.exclusively((db) => db.query("select current_setting('lock_timeout') as lock"));
    expect(shown).toEqual([{ lock: "0" }]);
  });

  test("a build beside others waits for them for as long as they take", async () => {
    const store = await open(await newPostgresDatabase(), { ...patient, lock: 1_234 });
    const shown = await store.outside?.((run) =>
      run("select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement"),
    );
    expect(shown).toEqual([{ lock: "0", statement: "0" }]);
  });

  test("the server asks whether a silent node is still there", async () => {
    const store = await open(await newPostgresDatabase(), { idleInTransaction: 8_000, lock: 3_500 });
    const names = ["lock_timeout", "tcp_keepalives_idle", "tcp_keepalives_count", "tcp_user_timeout"];
    const shown = names.map((name) => `current_setting('${name}')`).join(" || ' ' || ");
    expect(await store.query(`select ${shown} as limits`)).toEqual([{ limits: "3500ms 4 2 8000" }]);
  });
});
