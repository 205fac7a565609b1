import type { Db, RunOutside, Store } from "../db.ts";
import { migrationLock } from "../postgres/locks.ts";
import { type Patience, patiently, pause } from "./patience.ts";
import type { LateIndex } from "./statements.ts";

/*
 * Indexes on tables with rows, while others use them: `create index concurrently`. A migration notes its indexes in
 * `schema_indexes`, in the transaction that applies the rest of it. A node that dies here leaves the note, and an index that is
 * not valid; the next start drops such an index and builds it again.
 */

export const indexNotes = "create table if not exists schema_indexes (name text primary key)";

/** Those of these indexes that are noted, or not valid: a build did not end. */
export async function readUnbuilt(
  db: Pick<Db, "query">,
  indexes: ReadonlyMap<string, LateIndex>,
): Promise<LateIndex[]> {
  const rows = await db.query<{ name: string }>(
    `select name from schema_indexes
     union select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid
            where not i.indisvalid and c.relnamespace = current_schema()::regnamespace
     order by 1`,
  );
  return rows.flatMap(({ name }) => indexes.get(name) ?? []);
}

export interface Building {
  patience: Patience;
  report(text: string): void;
}

/** Builds those that are missing or not valid. Waits for another node that does so. */
export async function buildIndexes(store: Store, indexes: readonly LateIndex[], building: Building): Promise<void> {
  for (let look = 1; ; look++) {
    const isDone = await store.outside?.(async (run) => {
      for (const index of indexes) if (!(await buildIndex({ run, ...building }, index))) return false;
      return true;
    });
    if (isDone || !store.outside) return;
    // Out of the transaction that keeps other nodes away: a build waits for every transaction that has a snapshot.
    building.report("another node builds indexes: this one waits");
    await pause(building.patience, look);
  }
}

interface Site extends Building {
  run: RunOutside;
}

/** Whether it is built: false if another connection is building it. */
async function buildIndex(site: Site, index: LateIndex): Promise<boolean> {
  const { run } = site;
  const [table] = await run<{ kind: string }>(
    `select relkind::text as kind from pg_class where oid = to_regclass('${index.table}')`,
  );
  // The operator may have dropped the table.
  const isBuilt =
    !table ||
    (await (table.kind === "p" ? buildOnPartitions(site, index) : buildOn(site, index.table, index.name, index)));
  if (isBuilt) await run(`delete from schema_indexes where name = '${index.name}'`);
  return isBuilt;
}

/** On a table that has its rows itself. */
async function buildOn(site: Site, table: string, name: string, { isUnique, on }: LateIndex): Promise<boolean> {
  const { run, patience, report } = site;
  return patiently(
    patience,
    () => `The index ${name}`,
    report,
    async () => {
      const state = await stateOf(run, name);
      if (state === "valid") return true;
      if (state === "being built") return false;
      report(`building the index ${name} of ${table}, beside those who use it`);
      // The connection of a node that was killed may do the same meanwhile, which shows only once it has its locks.
      if (state === "not valid") await run(`drop index concurrently if exists ${name}`);
      await run(`create ${isUnique ? "unique " : ""}index concurrently if not exists ${name} on ${table} ${on}`);
      return (await stateOf(run, name)) === "valid";
    },
  );
}

async function stateOf(run: RunOutside, name: string): Promise<"valid" | "being built" | "not valid" | null> {
  // The connection of a node that was killed continues a build until its end.
  const [row] = await run<{ isValid: boolean; isBeingBuilt: boolean }>(
    `select indisvalid as "isValid",
            exists (select 1 from pg_stat_progress_create_index p where p.index_relid = i.indexrelid) as "isBeingBuilt"
       from pg_index i where indexrelid = to_regclass('${name}')`,
  );
  if (!row) return null;
  if (row.isValid) return "valid";
  return row.isBeingBuilt ? "being built" : "not valid";
}

/** PostgreSQL builds no index of a partitioned table beside others, but of each partition; then the whole table gets them. */
async function buildOnPartitions(site: Site, index: LateIndex): Promise<boolean> {
  const { run, patience, report } = site;
  const { name, table, isUnique, on } = index;
  const suffix = name.startsWith(`${table}_`) ? name.slice(table.length) : `_${name}`;
  const ownIndex = `left(c.relname || '${suffix}', ${nameMax})`;
  const partitions = `pg_inherits p join pg_class c on c.oid = p.inhrelid where p.inhparent = to_regclass('${table}')`;
  const missing = `select c.relname as partition, ${ownIndex} as own from ${partitions} and not exists
    (select 1 from pg_index i join pg_class o on o.oid = i.indexrelid
      where i.indrelid = c.oid and i.indisvalid and o.relname = ${ownIndex})`;
  // Partitions change under the same lock. One that came meanwhile is found by the next look.
  const attachAll = `set local lock_timeout = ${patience.lockMilliseconds};
    select pg_advisory_xact_lock(${migrationLock});
    do $attach$ declare each record; begin
      if exists (${missing}) then return; end if;
      execute $create$create ${isUnique ? "unique " : ""}index ${name} on only ${table} ${on}$create$;
      for each in select ${ownIndex} as own from ${partitions} loop
        execute format('alter index %I attach partition %I', '${name}', each.own);
      end loop;
    end $attach$`;
  while ((await stateOf(run, name)) !== "valid") {
    for (const { partition, own } of await run<{ partition: string; own: string }>(missing))
      if (!(await buildOn(site, partition, own, index))) return false;
    await patiently(
      patience,
      () => `The index ${name}`,
      report,
      () => run(attachAll),
    );
  }
  return true;
}

/** PostgreSQL cuts names after so many bytes, and ours are plain letters. */
const nameMax = 63;
