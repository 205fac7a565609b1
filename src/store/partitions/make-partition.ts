import type { Db } from "../db.ts";
import { readIndexes, readStorage, readTriggers } from "./catalogue.ts";
import { type GrowingTable, partitionName, type Range } from "./months.ts";

/** The transaction in which partitions change. */
export interface Change {
  db: Db;
  runScript(sql: string): Promise<void>;
  table: GrowingTable;
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** How the range stands behind `for values`. */
export function boundsOf(table: GrowingTable, { from, to }: Range): string {
  const lower = from ? literal(table.boundAt(from)) : "minvalue";
  const upper = to ? literal(table.boundAt(to)) : "maxvalue";
  return `from (${lower}) to (${upper})`;
}

/**
 * Creates a partition, with what PostgreSQL does not copy from the whole table: keys that are unique within a partition,
 * triggers for statements, and storage settings. `like` names a partition that has them.
 */
export async function makePartition({ db, runScript, table }: Change, range: Range, like: string): Promise<string> {
  const name = partitionName(table, range);
  const storage = await readStorage(db, like);
  await runScript(
    `create table ${quoted(name)} partition of ${table.name} for values ${boundsOf(table, range)} ${storage ? `with (${storage})` : ""}`,
  );
  for (const { constraint, text, isInherited, isUniqueInPartitionOnly } of await readIndexes(db, like, table.column)) {
    if (isInherited) continue;
    if (constraint !== null) await runScript(`alter table ${quoted(name)} add ${constraint}`);
    else if (isUniqueInPartitionOnly)
      await runScript(`create unique index on ${quoted(name)} ${text.slice(text.indexOf("USING "))}`);
  }
  for (const { text, on, isForRows } of await readTriggers(db, like)) {
    if (!isForRows) await runScript(text.replace(` ON ${on} `, ` ON ${quoted(name)} `));
  }
  return name;
}
