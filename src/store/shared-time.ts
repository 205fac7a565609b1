import type { Db, Store } from "./db.ts";
import { readDatabaseTime } from "./postgres/database-clock.ts";

/**
 * The clock for leases. Nodes that share a PostgreSQL server have their own clocks, so they use the database's;
 * processes that share a file share the machine's.
 */
export const sharedNow = async (db: Db, kind: Store["kind"], now: Date): Promise<Date> =>
  kind === "sqlite" ? now : new Date(await readDatabaseTime(db));
