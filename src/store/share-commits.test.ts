import { describe, expect, inject, test } from "vitest";
import { startProxy } from "../../test/support/network/cuttable-proxy.ts";
import { cleanUpLater, newPostgresDatabase } from "../../test/support/stores.ts";
import type { Db } from "./db.ts";
import { openPostgres } from "./postgres/postgres.ts";
import { shareCommits } from "./share-commits.ts";

async function newNotes() {
  const url = new URL(await newPostgresDatabase());
  const proxy = await startProxy(Number(url.port));
  url.port = String(proxy.port);
  const store = openPostgres(url.href);
  cleanUpLater(() => store.close());
  await store.exclusively((_db, runScript) => runScript("create table notes (id text primary key)"));
  const commit = shareCommits(store);
  return {
    proxy,
    addAll: (ids: readonly string[]) => Promise.allSettled(ids.map((id) => commit((db) => add(db, id), id))),
    list: async () => (await store.query<{ id: string }>("select id from notes order by id")).map(({ id }) => id),
  };
}

const add = (db: Db, id: string) => db.query("insert into notes values ($1)", [id]);

describe.skipIf(inject("postgresUrl") === null)("transactions that share a commit", () => {
  test("if one fails, the others succeed", async () => {
    const { addAll, list } = await newNotes();
    await addAll(["b"]);
    const [first, repeated, last] = await addAll(["a", "b", "c"]);
    expect(first).toMatchObject({ status: "fulfilled" });
    expect(repeated).toMatchObject({ reason: { code: "23505" } });
    expect(last).toMatchObject({ status: "fulfilled" });
    expect(await list()).toEqual(["a", "b", "c"]);
  });

  // "Nothing acknowledged is ever lost; nothing is sent twice."
  test("if the answer to the commit gets lost, none runs again, and each is refused as unreachable", async () => {
    const { proxy, addAll, list } = await newNotes();
    proxy.loseAnswer("COMMIT");
    for (const end of await addAll(["a", "b", "c"])) expect(end).toMatchObject({ reason: { reason: "unreachable" } });
    expect(await list()).toEqual(["a", "b", "c"]);
    for (const end of await addAll(["d", "e"])) expect(end).toMatchObject({ status: "fulfilled" });
  });
});
