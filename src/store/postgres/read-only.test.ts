import { describe, expect, inject, test } from "vitest";
import { startPostgres } from "../../../test/support/databases/postgres.ts";
import { cleanUpLater, newPostgresDatabase } from "../../../test/support/stores.ts";
import { ping, type Store } from "../db.ts";
import { openPostgres } from "./postgres.ts";

function open(url: string): Store {
  const store = openPostgres(url);
  cleanUpLater(() => store.close());
  return store;
}

const write = (store: Store) => store.transaction((db) => db.query("insert into notes values (1)"));
const makeNotes = (store: Store) => store.exclusively((_db, run) => run("create table notes (size integer not null)"));

describe.skipIf(inject("postgresUrl") === null)("a server that accepts no writes", () => {
  // "/readyz is 200 while every write is 503."
  test("fails health checks and refuses writes, and both pass once it accepts them", async () => {
    const url = await newPostgresDatabase();
    const operator = open(url);
    await makeNotes(operator);
    const setReadOnly = (value: "on" | "off") =>
      operator.query(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = ${value}`);
    await setReadOnly("on");
    const store = open(url);
    expect(await store.query("select 1 as one")).toEqual([{ one: 1 }]);
    await expect(ping(store)).rejects.toMatchObject({ reason: "read-only" });
    await expect(write(store)).rejects.toMatchObject({ reason: "read-only" });
    await setReadOnly("off");
    await expect.poll(() => write(store).then(() => "written", String)).toBe("written");
    await ping(store);
  });

  test.for<[string, (store: Store) => Promise<unknown>]>([
    ["a refused write", write],
    ["a health check", ping],
  ])("is left for the one that does, though its connections survive: after %s", async ([, work], { skip }) => {
    const servers = [await startPostgres(), await startPostgres()];
    const urls: string[] = [];
    for (const server of servers) {
      if (typeof server === "string") return skip(server);
      cleanUpLater(() => server.stop());
      urls.push(server.url);
    }
    const [one, other] = urls.map(open) as [Store, Store];
    const setReadOnly = async (store: Store, value: "on" | "off") => {
      await store.query(`alter system set default_transaction_read_only = ${value}`);
      await store.query("select pg_reload_conf()");
      await expect
        .poll(() => store.query("select current_setting('default_transaction_read_only') as now"))
        .toEqual([{ now: value }]);
    };
    await makeNotes(one);
    await makeNotes(other);
    await setReadOnly(other, "on");
    const [firstPort, secondPort] = urls.map((url) => new URL(url).port);
    const store = open(`postgres://signalbox@127.0.0.1:${firstPort},127.0.0.1:${secondPort}/postgres`);
    await write(store);
    expect(await one.query("select size from notes")).toEqual([{ size: 1 }]);
    await setReadOnly(one, "on");
    await setReadOnly(other, "off");
    const outcome = () =>
      work(store).then(
        () => "done",
        (error) => error.reason,
      );
    await expect.poll(outcome).toBe("read-only");
    await expect.poll(outcome).toBe("done");
    expect(await store.query("select current_setting('port') as port")).toEqual([{ port: secondPort }]);
  });
});
