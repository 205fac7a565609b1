import type { Db } from "../db.ts";
import type { GrowingTable, Range } from "./months.ts";

/** What PostgreSQL's catalogue says of a table. Everything is read at the time of use: migrations change the tables. */

export interface Partition extends Range {
  name: string;
  bytes: number;
  /** As of the last analysis. */
  rows: number;
}

export interface TableState {
  isPartitioned: boolean;
  bytes: number;
  rows: number;
  /** In the order of their ranges. Empty if the table is whole. */
  partitions: Partition[];
}

/** Null if there is no such table. */
export async function readState(db: Pick<Db, "query">, table: GrowingTable): Promise<TableState | null> {
  const [whole] = await db.query<{ kind: string; bytes: number; rows: number }>(
    `select relkind::text as kind, pg_total_relation_size(oid) as bytes, greatest(reltuples, 0)::bigint as rows
       from pg_class where oid = to_regclass($1)`,
    [table.name],
  );
  if (!whole) return null;
  const rows = await db.query<{ name: string; bound: string; bytes: number; rows: number }>(
    `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound, pg_total_relation_size(c.oid) as bytes,
            greatest(c.reltuples, 0)::bigint as rows
       from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass($1)`,
    [table.name],
  );
  const partitions = rows.map(({ bound, ...row }) => ({ ...row, ...rangeOf(table, bound) }));
  partitions.sort((a, b) => startOf(a) - startOf(b));
  const sum = (size: (partition: Partition) => number): number => partitions.reduce((all, each) => all + size(each), 0);
  return whole.kind === "p"
    ? { isPartitioned: true, bytes: sum(({ bytes }) => bytes), rows: sum((each) => each.rows), partitions }
    : { isPartitioned: false, bytes: whole.bytes, rows: whole.rows, partitions: [] };
}

const startOf = ({ from }: Range): number => from?.getTime() ?? Number.NEGATIVE_INFINITY;

const rangeShape = /^FOR VALUES FROM \((?:MINVALUE|'([^']*)')\) TO \((?:MAXVALUE|'([^']*)')\)$/;

function rangeOf(table: GrowingTable, bound: string): Range {
  const found = rangeShape.exec(bound);
  if (!found) throw new Error(`A partition of ${table.name} has a bound that is not ours: ${bound}.`);
  const timeOf = (text: string | undefined): Date | null => (text === undefined ? null : table.timeOf(text));
  return { from: timeOf(found[1]), to: timeOf(found[2]) };
}

/** Whether every row has its partition. Called in each transaction that changes partitions, before it commits. */
export function requireNoGap(table: GrowingTable, partitions: readonly Partition[]): void {
  const isWhole = partitions.every(
    ({ from }, index) => (partitions[index - 1]?.to ?? null)?.getTime() === from?.getTime(),
  );
  if (!isWhole || partitions.length === 0 || partitions.at(-1)?.to !== null)
    throw new Error(`The partitions of ${table.name} have a gap.`);
}

export interface TableIndex {
  name: string;
  /** The statement that creates it. */
  text: string;
  /** What it looks like in `alter table … add`; null if it is no constraint. */
  constraint: string | null;
  /** Whether it is a unique key that lets two partitions have the same value. */
  isUniqueInPartitionOnly: boolean;
  /** Whether an index of the whole table created it. */
  isInherited: boolean;
}

export const readIndexes = (db: Db, relation: string, column: string): Promise<TableIndex[]> =>
  db.query<TableIndex>(
    `select c.relname as name, pg_get_indexdef(i.indexrelid) as text, pg_get_constraintdef(k.oid) as constraint,
            i.indisunique and not (a.attnum = any (i.indkey::int2[])) as "isUniqueInPartitionOnly",
            exists (select 1 from pg_inherits where inhrelid = i.indexrelid) as "isInherited"
       from pg_index i
       join pg_class c on c.oid = i.indexrelid
       join pg_attribute a on a.attrelid = i.indrelid and a.attname = $2
       left join pg_constraint k on k.conindid = i.indexrelid and k.conrelid = i.indrelid and k.contype in ('p', 'u')
      where i.indrelid = to_regclass($1) order by c.relname`,
    [relation, column],
  );

export interface TableTrigger {
  name: string;
  /** The statement that creates it, which names its table as `on`. */
  text: string;
  on: string;
  /** PostgreSQL copies those for rows to partitions, and no others. */
  isForRows: boolean;
}

export const readTriggers = (db: Db, relation: string): Promise<TableTrigger[]> =>
  db.query<TableTrigger>(
    `select t.tgname as name, pg_get_triggerdef(t.oid) as text, (t.tgtype::integer & 1) = 1 as "isForRows",
            format('%I.%I', n.nspname, c.relname) as "on"
       from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
      where t.tgrelid = to_regclass($1) and not t.tgisinternal and t.tgparentid = 0 order by t.tgname`,
    [relation],
  );

/** Statements that give the table the owner and the rights that it has, written for its name. */
export async function readRights(db: Db, relation: string): Promise<string[]> {
  const rows = await db.query<{ text: string }>(
    `select format('alter table %I owner to %I', c.relname, pg_get_userbyid(c.relowner)) as text
       from pg_class c where c.oid = to_regclass($1) and pg_get_userbyid(c.relowner) <> current_user
     union all
     select format('grant %s on table %I to %s%s', a.privilege_type, c.relname,
                   case a.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end,
                   case when a.is_grantable then ' with grant option' else '' end)
       from pg_class c, aclexplode(c.relacl) a where c.oid = to_regclass($1) and a.grantee <> c.relowner`,
    [relation],
  );
  return rows.map(({ text }) => text);
}

/** Settings such as those of autovacuum, as they stand in `with (…)`; null without any. */
export async function readStorage(db: Db, relation: string): Promise<string | null> {
  const [row] = await db.query<{ options: string | null }>(
    "select array_to_string(reloptions, ', ') as options from pg_class where oid = to_regclass($1)",
    [relation],
  );
  return row?.options || null;
}
