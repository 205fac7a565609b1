import type { Db } from "./db.ts";

/** The tables whose rows a backup and a restore count, for people to compare. */
export const countedTables = [
  "organizations",
  "projects",
  "users",
  "connections",
  "tools",
  "runs",
  "audit_log",
] as const;

export type RowCounts = Record<(typeof countedTables)[number], number>;

export async function countRows(db: Db): Promise<RowCounts> {
  const counts: Partial<RowCounts> = {};
  for (const table of countedTables) {
    const [row] = await db.query<{ n: number }>(`select count(*) as n from ${table}`);
    counts[table] = Number(row?.n ?? 0);
  }
  return counts as RowCounts;
}
