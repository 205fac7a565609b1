import type { Db, Store } from "./db.ts";

/**
 * The clock for leases. Nodes that share a PostgreSQL server have their own clocks, so they use the database's;
 * processes that share a file share the machine's.
 */
export async function sharedNow(db: Db, kind: Store["kind"], now: Date): Promise<Date> {
  if (kind === "sqlite") return now;
  const [row] = await db.query<{ now: number }>("select (extract(epoch from clock_timestamp()) * 1000)::bigint as now");
  return row ? new Date(row.now) : now;
}
