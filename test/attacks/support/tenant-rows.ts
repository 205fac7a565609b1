import type { Store } from "../../../src/store/db.ts";
import { keptInTables } from "./shared-state/in-tables.ts";

/** All that the store has of one organization: to compare before and after what others do. */
export interface TenantRows {
  /** Each row that is the organization's, or that names something of it. */
  rows: string[];
  ids: Set<string>;
  emails: Set<string>;
}

type Row = Record<string, unknown>;

export async function rowsOf(store: Store, organizationId: string): Promise<TenantRows> {
  const tables: [table: string, owner: string | null, rows: Row[]][] = [];
  for (const [table, whose] of Object.entries(keptInTables)) {
    tables.push([table, "column" in whose ? whose.column : null, await store.query<Row>(`select * from ${table}`)]);
  }
  const ids = new Set([organizationId]);
  const isTheirs = (owner: string | null, row: Row): boolean => owner !== null && ids.has(String(row[owner]));
  // A row that belongs to a row of theirs is theirs too: a run of the organization, a step of the run.
  for (let known = 0; known < ids.size; ) {
    known = ids.size;
    for (const [, owner, rows] of tables) {
      for (const row of rows) if (isTheirs(owner, row) && typeof row.id === "string") ids.add(row.id);
    }
  }
  const names = (value: unknown): boolean =>
    typeof value === "string" && (ids.has(value) || value.startsWith(organizationId));
  const kept: string[] = [];
  const emails = new Set<string>();
  for (const [table, owner, rows] of tables) {
    for (const row of rows) {
      const own = isTheirs(owner, row);
      // Its values are what a directory says of its own people, which may be any text.
      if (own || (table !== "directory_values" && Object.values(row).some(names))) {
        kept.push(`${table} ${JSON.stringify(row)}`);
      }
      if (own && typeof row.email === "string") emails.add(row.email);
    }
  }
  return { rows: kept.sort(), ids, emails };
}

/** What has come, gone or changed. */
export const changesBetween = (before: TenantRows, after: TenantRows): string[] => [
  ...before.rows.filter((row) => !after.rows.includes(row)).map((row) => `gone: ${row}`),
  ...after.rows.filter((row) => !before.rows.includes(row)).map((row) => `new: ${row}`),
];
