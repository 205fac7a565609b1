import { expect, inject, test } from "vitest";
import { startDurablePostgres } from "../../../bench/targets/durable-postgres.ts";
import { openPostgres } from "../../../src/store/postgres/postgres.ts";
import { cleanUpLater } from "../stores.ts";

const settingsOf = async (url: string, names: readonly string[]): Promise<Record<string, string>> => {
  const store = openPostgres(url, 1);
  const settings: Record<string, string> = {};
  for (const name of names) {
    const [row = {}] = await store.query<Record<string, string>>(`show ${name}`);
    Object.assign(settings, row);
  }
  await store.close();
  return settings;
};

const timeOfStart = async (url: string): Promise<string | undefined> => {
  const store = openPostgres(url, 1);
  const [row] = await store.query<{ at: string }>("select pg_postmaster_start_time()::text as at");
  await store.close();
  return row?.at;
};

test.skipIf(inject("postgresUrl") === null)(
  "the PostgreSQL of the benchmarks is durable, as initdb sets it up, and stays so when it starts again",
  async () => {
    const server = await startDurablePostgres();
    if (typeof server === "string") throw new Error(server);
    cleanUpLater(() => server.stop());
    const durable = { fsync: "on", full_page_writes: "on", synchronous_commit: "on", autovacuum: "on" };
    expect(await settingsOf(server.url, Object.keys(durable))).toEqual(durable);
    const before = await timeOfStart(server.url);
    await server.shutDown();
    await server.startAgain();
    expect(await timeOfStart(server.url)).not.toBe(before);
    expect(await settingsOf(server.url, Object.keys(durable))).toEqual(durable);
  },
);
