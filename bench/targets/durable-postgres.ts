import { startPostgres, type TestPostgres } from "../../test/support/databases/postgres.ts";

/** What the tests switch off to be fast, and `initdb` leaves on. */
export const durable = ["fsync=on", "full_page_writes=on", "autovacuum=on"];

/** The PostgreSQL of every benchmark, as durable as one in production, or the reason why there is none. The settings replace these. */
export const startDurablePostgres = (settings: readonly string[] = []): Promise<TestPostgres | string> =>
  startPostgres(undefined, [...durable, ...settings]);
