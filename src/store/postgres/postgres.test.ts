import { chownSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { newSmallDisk, whyNoSmallDisk } from "../../../test/support/databases/small-disk.ts";
import { freePort } from "../../../test/support/processes/free-ports.ts";
import { cleanUpLater, newPostgresDatabase } from "../../../test/support/stores.ts";
import { type Db, ping, type Store, StoreUnavailable } from "../db.ts";
import { openPostgres } from "./postgres.ts";

async function newNotes(): Promise<{ store: Store; url: string }> {
  const url = await newPostgresDatabase();
  const store = openPostgres(url);
  cleanUpLater(() => store.close());
  await store.exclusively((_db, runScript) =>
    runScript(`create table notes (id text primary key, size integer not null);
               insert into notes values ('a', 0), ('b', 0), ('c', 0), ('d', 0)`),
  );
  return { store, url };
}

/** A barrier for two callers; later ones pass. */
function meetingOfTwo(): () => Promise<void> {
  let count = 0;
  let open: () => void = () => {};
  const both = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    if (++count === 2) open();
    return both;
  };
}

const addOne = (db: Db, id: string) => db.query("update notes set size = size + 1 where id = $1", [id]);
const sizeOf = async (db: Db, id: string) =>
  (await db.query<{ size: number }>("select size from notes where id = $1", [id]))[0]?.size ?? Number.NaN;

describe.skipIf(inject("postgresUrl") === null)("on PostgreSQL", () => {
  test("a serialization failure is retried, and no addition is lost", async () => {
    const { store } = await newNotes();
    const meet = meetingOfTwo();
    let tries = 0;
    const add = () =>
      store.transaction(async (db) => {
        tries++;
        await db.query("set transaction isolation level serializable");
        const size = await sizeOf(db, "a");
        await meet();
        await db.query("update notes set size = $1 where id = 'a'", [size + 1]);
      });
    await Promise.all([add(), add()]);
    expect(await sizeOf(store, "a")).toBe(2);
    // Both had read 0, so the database refused one of them: it worked more than once.
    expect(tries).toBeGreaterThan(2);
  });

  test("authentication and health checks do not wait behind slow statements, of which there are more than connections", async () => {
    const { store, url } = await newNotes();
    const other = openPostgres(url, 1);
    cleanUpLater(() => other.close());
    const lock = "select pg_advisory_xact_lock(1)::text";
    const slow = await other.transaction(async (db) => {
      await db.query(lock);
      const statements = Array.from({ length: 20 }, () => store.query(lock));
      const transactions = Array.from({ length: 20 }, () => store.transaction((inside) => inside.query(lock)));
      const waiting = "select count(*) as n from pg_locks where not granted";
      await expect.poll(() => store.reserve.query<{ n: number }>(waiting)).toEqual([{ n: 8 }]);
      await ping(store);
      return { done: Promise.all([...statements, ...transactions]) };
    });
    expect(await slow.done).toHaveLength(40);
  });

  test("a deadlock is retried, and both transactions succeed", async () => {
    const { store } = await newNotes();
    const meet = meetingOfTwo();
    let tries = 0;
    const crossing = (first: string, second: string) =>
      store.transaction(async (db) => {
        tries++;
        await addOne(db, first);
        await meet();
        await addOne(db, second);
      });
    await Promise.all([crossing("a", "b"), crossing("b", "a")]);
    expect([await sizeOf(store, "a"), await sizeOf(store, "b")]).toEqual([2, 2]);
    // More than three where the one that was refused is back before the other has woken: then they cross once more.
    expect(tries).toBeGreaterThan(2);
  });

  // "40001/40P01 after the eighth try" were errors of ours, and a read that a standby had to cancel.
  test.each(["40001", "40P01"])("a conflict (%s) that remains is refused as busy, and so is a read", async (code) => {
    const { store } = await newNotes();
    const conflict = (db: Db) => db.query(`do $$ begin raise sqlstate '${code}'; end $$`);
    let tries = 0;
    const refused = store.transaction(async (db) => {
      tries++;
      await conflict(db);
    });
    await expect(refused).rejects.toMatchObject({ reason: "busy" });
    expect(tries).toBe(8);
    await expect(conflict(store)).rejects.toMatchObject({ reason: "busy" });
  });

  test("of statements that were sent together, the one that failed decides, and not those that it ended", async () => {
    const { store } = await newNotes();
    let tries = 0;
    await store.transaction(async (db) => {
      // Heard of later than the statement behind it.
      const failing = async () => {
        if (++tries === 1) await Promise.all([db.query("do $$ begin raise sqlstate '40P01'; end $$")]);
      };
      await Promise.all([(async () => await failing())(), addOne(db, "a")]);
    });
    expect([tries, await sizeOf(store, "a")]).toEqual([2, 1]);
    const refused = store.transaction((db) =>
      Promise.all([Promise.all([db.query("select 1 / 0")]), db.query("select 1 as one")]),
    );
    await expect(refused).rejects.toThrow("division by zero");
  });

  test("a rule's own refusal is not retried", async () => {
    const { store } = await newNotes();
    let tries = 0;
    const refused = store.transaction(async () => {
      tries++;
      throw new Error("the rule refused");
    });
    await expect(refused).rejects.toThrow("the rule refused");
    expect(tries).toBe(1);
  });

  test("a worker that claims work skips rows that another one is claiming", async () => {
    const { store } = await newNotes();
    const claim = (db: Db) =>
      db.query<{ id: string }>(
        `update notes set size = 9 where id in
           (select id from notes where size = 0 order by id limit 2 ${db.skipLocked}) returning id`,
      );
    await store.transaction(async (db) => {
      const mine = await claim(db);
      // The first claim is still open: without skipping, the second would wait for it here forever.
      const theirs = await store.transaction(claim);
      expect(mine.map((row) => row.id).sort()).toEqual(["a", "b"]);
      expect(theirs.map((row) => row.id).sort()).toEqual(["c", "d"]);
    });
  });

  test("more transactions than connections wait for a connection", async () => {
    const { store } = await newNotes();
    await Promise.all(Array.from({ length: 200 }, () => store.transaction((db) => addOne(db, "a"))));
    expect(await sizeOf(store, "a")).toBe(200);
  });

  test("a lost connection fails as unreachable, changes nothing, and the next call gets a new one", async () => {
    const { store } = await newNotes();
    const cut = store.transaction(async (db) => {
      await addOne(db, "a");
      const [row] = await db.query<{ pid: number }>("select pg_backend_pid() as pid");
      await store.query("select pg_terminate_backend($1)", [row?.pid ?? 0]);
      await addOne(db, "a");
    });
    await expect(cut).rejects.toMatchObject({ reason: "unreachable" });
    await expect(cut).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await sizeOf(store, "a")).toBe(0);
    await store.transaction((db) => addOne(db, "a"));
    expect(await sizeOf(store, "a")).toBe(1);
  });

  test("a server that is down fails as unreachable, for reads and for transactions", async () => {
    const store = openPostgres(`postgres://signalbox@127.0.0.1:${await freePort()}/postgres`);
    cleanUpLater(() => store.close());
    await expect(store.query("select 1 as one")).rejects.toMatchObject({ reason: "unreachable" });
    await expect(store.transaction((db) => db.query("select 1"))).rejects.toMatchObject({ reason: "unreachable" });
    await expect(store.exclusively(async () => {})).rejects.toBeInstanceOf(StoreUnavailable);
  });

  test("a full disk is full, changes nothing, and writes go on once there is room", async (context) => {
    const disk = newSmallDisk(16);
    if (!disk) return context.skip(`Not run, because ${whyNoSmallDisk}.`);
    const { store } = await newNotes();
    const [server] = await store.query<{ folder: string }>(
      "select setting as folder from pg_settings where name = 'data_directory'",
    );
    const { uid, gid } = statSync(server?.folder ?? "");
    const folder = join(disk.folder, "tablespace");
    mkdirSync(folder);
    chownSync(folder, uid, gid);
    await store.query(`create tablespace small_disk location '${folder}'`);
    cleanUpLater(async () => {
      await store.query("drop table letters");
      await store.query("drop tablespace small_disk");
    });
    await store.query("create table letters (text text) tablespace small_disk");
    disk.fill();
    const write = () =>
      store.transaction(async (db) => {
        for (let i = 0; i < 20; i++) {
          await db.query("insert into letters select repeat(md5(random()::text), 200) from generate_series(1, 50)");
        }
      });
    await expect(write()).rejects.toMatchObject({ reason: "full" });
    expect(await store.query("select count(*) as count from letters")).toEqual([{ count: 0 }]);
    disk.free();
    await write();
    expect(await store.query("select count(*) as count from letters")).toEqual([{ count: 1000 }]);
  });

  test("a health check after a refusal for lack of room passes for a role that may not look for room", async () => {
    const { store, url } = await newNotes();
    const name = new URL(url).pathname.slice(1);
    await store.query(`revoke temporary on database ${name} from public`);
    await store.query(`create role ${name} login`);
    const limited = new URL(url);
    limited.username = name;
    const other = openPostgres(limited.href, 1);
    cleanUpLater(() => other.close().then(() => store.query(`drop role ${name}`)));
    const refused = other.query("do $$ begin raise sqlstate '53100'; end $$");
    await expect(refused).rejects.toMatchObject({ reason: "full" });
    expect(other.diskSpace).toEqual({ wasRefused: true });
    await ping(other);
    expect(other.diskSpace).toEqual({ wasRefused: false });
  });
});
