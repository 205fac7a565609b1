import { describe, expect, inject, test } from "vitest";
import { startPgBouncer } from "../../../test/support/databases/postgres.ts";
import { cleanUpLater, newPostgresDatabase } from "../../../test/support/stores.ts";
import { ping, type Store } from "../db.ts";
import { openPostgres } from "./postgres.ts";

const slow = "select pg_sleep(600) /* slow */";
const active = "from pg_stat_activity where datname = current_database() and state = 'active' and query = $1";
/** Of the PgBouncer of the tests. */
const poolSize = 3;

function open(url: string, connections: number): Store {
  const store = openPostgres(url, connections);
  cleanUpLater(() => store.close());
  return store;
}

// "A wrong value stops the start with a sentence that says which and why."
describe.skipIf(inject("postgresUrl") === null)("a wrong reserve_database", () => {
  test("that leads to another database is refused: its accounts are not this region's", async () => {
    const other = new URL(await newPostgresDatabase()).pathname.slice(1);
    const store = open(`${await newPostgresDatabase()}?reserve_database=${other}`, 8);
    const refused = await store.exclusively(async () => {}).catch((error) => error);
    expect(refused).toMatchObject({
      code: "3D000",
      message: `reserve_database=${other} leads to another database than the address`,
    });
  });

  test("that no database has is refused", async () => {
    const store = open(`${await newPostgresDatabase()}?reserve_database=nobodys`, 8);
    const refused = await store.exclusively(async () => {}).catch((error) => error);
    expect(refused).toMatchObject({ code: "3D000", message: 'database "nobodys" does not exist' });
  });
});

// "Pool exhausted by slow queries: authentication keeps a reserve", also if the pool is that of PgBouncer, for all nodes.
describe.skipIf(inject("postgresUrl") === null)("behind PgBouncer in transaction mode", () => {
  test("authentication and health checks have connections of their own, if the address names a database for them", async ({
    skip,
  }) => {
    const direct = await newPostgresDatabase();
    const pooler = await startPgBouncer(direct);
    if (typeof pooler === "string") return skip(pooler);
    cleanUpLater(() => pooler.stop());
    const name = new URL(direct).pathname.slice(1);
    const store = open(`${pooler.url}?reserve_database=${name}_reserve`, 8);
    await store.exclusively(async () => {});
    const other = open(direct, 1);
    const statements = Array.from({ length: poolSize }, () => store.query(slow).catch(() => {}));
    await expect.poll(() => other.query(`select count(*) as n ${active}`, [slow])).toEqual([{ n: poolSize }]);
    try {
      await ping(store);
      expect(await store.reserve.query("select current_database() as name")).toEqual([{ name }]);
    } finally {
      await other.query(`select pg_cancel_backend(pid) ${active}`, [slow]);
      await Promise.all(statements);
    }
  });
});
