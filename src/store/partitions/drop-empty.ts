import type { Store } from "../db.ts";
import { type Partition, readState } from "./catalogue.ts";
import { changeTable } from "./change-table.ts";
import { makePartition, quoted } from "./make-partition.ts";
import type { GrowingTable, Range } from "./months.ts";

/** Clocks of nodes differ, and runs that began in a month may still write steps. */
const graceMilliseconds = 7 * 86_400_000;
/** An empty partition that nothing was ever in takes about a tenth of this. */
const worthwhileBytes = 1024 * 1024;

/**
 * Frees the space of past months that have no rows any more. Neighbours that are empty become one empty
 * partition of their whole range: every row still has a partition, and the table gets no more partitions than it needs.
 * Returns the names of the partitions that it dropped.
 */
export async function dropEmpty(
  store: Store,
  table: GrowingTable,
  now: Date,
  lockMilliseconds: number,
): Promise<string[]> {
  const over = new Date(now.getTime() - graceMilliseconds);
  const partitions = (await readState(store, table))?.partitions ?? [];
  const dropped: string[] = [];
  for (const group of await emptyGroups(store, table, partitions, over)) {
    if (group.length === 1 && (group[0]?.bytes ?? 0) < worthwhileBytes) continue;
    if (await replaceGroup(store, table, group, partitions.at(-1)?.name ?? "", lockMilliseconds))
      dropped.push(...group.map(({ name }) => name));
  }
  return dropped;
}

/** Neighbours without rows that ended before this time. */
async function emptyGroups(
  store: Store,
  table: GrowingTable,
  partitions: readonly Partition[],
  before: Date,
): Promise<Partition[][]> {
  const groups: Partition[][] = [[]];
  for (const partition of partitions) {
    const isOver = partition.to !== null && partition.to <= before;
    if (isOver && (await isEmpty(store, table, partition))) groups.at(-1)?.push(partition);
    else groups.push([]);
  }
  return groups.filter((group) => group.length > 0);
}

/** By an index: after deletions, a table without rows may have millions of pages. */
const isEmpty = async (db: Pick<Store, "query">, table: GrowingTable, { name }: Partition): Promise<boolean> =>
  (await db.query(`select 1 as found from ${quoted(name)} order by ${table.order} limit 1`)).length === 0;

/** Returns false if a row has come since. */
const replaceGroup = (
  store: Store,
  table: GrowingTable,
  group: readonly Partition[],
  like: string,
  lockMilliseconds: number,
): Promise<boolean> =>
  changeTable(store, table, lockMilliseconds, async (change) => {
    const names = group.map(({ name }) => quoted(name)).join(", ");
    // Nobody writes to them from now on. Readers go on until the drop itself, which takes no time.
    await change.runScript(`lock table ${names} in share mode`);
    for (const partition of group) if (!(await isEmpty(change.db, table, partition))) return false;
    const range: Range = { from: group[0]?.from ?? null, to: group.at(-1)?.to ?? null };
    await change.runScript(`drop table ${names}`);
    await makePartition(change, range, like);
    return true;
  });
