import type { Store } from "../db.ts";
import { type Partition, readState } from "./catalogue.ts";
import { changeTable } from "./change-table.ts";
import { boundsOf, type Change, makePartition, quoted } from "./make-partition.ts";
import { type GrowingTable, monthAfter, type Range } from "./months.ts";

/** The next month has its partition from the first day of this one. Each further one would cost every list a little. */
const monthsAhead = 1;

/** More rows than this are not moved beside other work. */
export class TooManyRows extends Error {}

/** Creates the partitions of the coming months, if they are missing. Returns their names. */
export async function addMonths(
  store: Store,
  table: GrowingTable,
  now: Date,
  limits: { lockMilliseconds: number; movedRowsMax: number },
): Promise<string[]> {
  const { last } = lastOf(await partitionsOf(store, table));
  if (last.from >= monthAfter(now, monthsAhead + 1)) return [];
  return changeTable(store, table, limits.lockMilliseconds, (change) => splitLast(change, now, limits.movedRowsMax));
}

const partitionsOf = async (db: Change["db"], table: GrowingTable): Promise<Partition[]> =>
  (await readState(db, table))?.partitions ?? [];

/** The last partition takes all rows after the last month, so that no insert ever fails. It is empty but for wrong clocks. */
function lastOf(partitions: readonly Partition[]): { last: Partition & { from: Date }; other: Partition } {
  const [last, other] = [partitions.at(-1), partitions.at(-2)];
  if (!last?.from || last.to !== null || !other) throw new Error("A partitioned table has lost its last partition.");
  return { last: { ...last, from: last.from }, other };
}

/** Puts the coming months before the last partition. Rows that it has move to where they belong. */
export async function splitLast(change: Change, now: Date, movedRowsMax: number): Promise<string[]> {
  const { db, runScript, table } = change;
  const { last, other } = lastOf(await partitionsOf(db, table));
  const until = monthAfter(now, monthsAhead + 1);
  const [rows] = await db.query<{ count: number }>(
    `select count(*) as count from (select 1 from ${quoted(last.name)} limit ${movedRowsMax + 1}) as found`,
  );
  const count = Number(rows?.count ?? 0);
  if (count > movedRowsMax) throw new TooManyRows(`${last.name} has more than ${movedRowsMax} rows.`);
  await runScript(`alter table ${table.name} detach partition ${quoted(last.name)}`);
  const made: string[] = [];
  const make = async (range: Range): Promise<string> => {
    const name = await makePartition(change, range, other.name);
    if (count > 0) await moveRows(change, last.name, name, range);
    return name;
  };
  for (let from = last.from; from < until; from = monthAfter(from, 1)) {
    made.push(await make({ from, to: monthAfter(from, 1) }));
  }
  await make({ from: until, to: null });
  await runScript(`drop table ${quoted(last.name)}`);
  return made;
}

/** Detached meanwhile, because triggers must not see these rows a second time. */
async function moveRows({ db, runScript, table }: Change, from: string, to: string, range: Range): Promise<void> {
  const rows = await db.query<{ name: string }>(
    `select attname as name from pg_attribute
      where attrelid = to_regclass($1) and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table.name],
  );
  const columns = rows.map(({ name }) => quoted(name)).join(", ");
  const end = range.to ? `and ${table.column} < '${table.boundAt(range.to)}'` : "";
  const start = range.from ? `${table.column} >= '${table.boundAt(range.from)}'` : "true";
  await runScript(`alter table ${table.name} detach partition ${quoted(to)};
    insert into ${quoted(to)} (${columns}) select ${columns} from ${quoted(from)} where ${start} ${end};
    alter table ${table.name} attach partition ${quoted(to)} for values ${boundsOf(table, range)};`);
}
