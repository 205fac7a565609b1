import { readdirSync, readFileSync } from "node:fs";
import type { Db, Store } from "./db.ts";
import { oldestBeside } from "./previous-version.ts";
import type { ReadOnlyStore } from "./read-only-store.ts";
import { type Building, buildIndexes, indexNotes, readUnbuilt } from "./schema/build-indexes.ts";
import { patiently, startPatience } from "./schema/patience.ts";
import { dialectOf, type LateIndex, partsOf } from "./schema/statements.ts";

interface Migration {
  number: number;
  name: string;
  sql: string;
}

const folder = new URL("./migrations/", import.meta.url);

/** The numbered files, in order: 0001_access.sql, 0002_… */
export function knownMigrations(): Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .sort()
    .map((name) => ({ number: Number(name.slice(0, 4)), name, sql: readFileSync(new URL(name, folder), "utf8") }));
}

/** A newer program wrote the schema; this one could destroy data that it does not know. */
export class SchemaTooNew extends Error {}

/**
 * Applies each new migration once, in order. Returns the names of the migrations applied now. Two nodes may start at once.
 *
 * A file and an empty database get all of them in one transaction, so a crash leaves the old schema whole. On PostgreSQL,
 * others work beside an upgrade. So each migration has a short transaction of its own, which is tried again if it does not get
 * its locks soon, and the indexes of tables with rows are built after it. A crash leaves what has been applied, and the next
 * start continues.
 *
 * On PostgreSQL it records with each the oldest program that may work beside it, by the newest migration which that program
 * knows: during an upgrade, nodes of the previous version go on, and may start again. An empty database has none: older
 * programs are refused there.
 */
export async function migrate(
  store: Store,
  now: Date,
  migrations: Migration[] = knownMigrations(),
  building: Partial<Building> = {},
): Promise<string[]> {
  const { patience = startPatience, report = () => {} } = building;
  const done: string[] = [];
  let what = "The schema";
  const begin = (name: string) => {
    what = `The migration ${name}`;
    return patience.lockMilliseconds;
  };
  for (;;) {
    const { applied, unbuilt, isOver } = await patiently(
      patience,
      () => what,
      report,
      () => store.exclusively((db, runScript) => applyNext({ store, db, runScript, begin }, now, migrations)),
    );
    done.push(...applied);
    if (unbuilt.length > 0) await buildIndexes(store, unbuilt, { patience, report });
    else if (isOver) return done;
  }
}

interface Site {
  store: Store;
  db: Db;
  runScript(sql: string): Promise<void>;
  /** Called before each migration that others work beside. Returns how long it may wait for locks. */
  begin(name: string): number;
}

/** Indexes of earlier migrations are built before the next one is applied. */
async function applyNext(site: Site, now: Date, migrations: Migration[]) {
  const { store, db, runScript, begin } = site;
  await runScript(`create table if not exists schema_migrations
    (number bigint primary key, name text not null, applied_at text not null)`);
  await runScript("create table if not exists schema_promises (number bigint primary key, oldest bigint not null)");
  if (store.kind === "postgres") await runScript(indexNotes);
  const rows = await db.query<AppliedMigration>(appliedSql);
  const known = newestOf(migrations);
  if (!mayUse(rows, known)) throw new SchemaTooNew(tooNewText(rows, known));
  const oldest = rows.length === 0 ? known : oldestBeside;
  const numbers = new Set(rows.map((row) => row.number));
  const missing = migrations.filter((migration) => !numbers.has(migration.number));
  const isAtOnce = store.kind === "sqlite" || rows.length === 0;
  const unbuilt = isAtOnce ? [] : await readUnbuilt(db, lateIndexesOf(migrations, numbers));
  const next = isAtOnce ? missing : unbuilt.length > 0 ? [] : missing.slice(0, 1);
  for (const { number, name, sql } of next) {
    if (isAtOnce) await runScript(dialectOf(sql, store.kind));
    else {
      const { statements, lateIndexes } = partsOf(sql);
      await runWithin(begin(name), runScript, statements);
      for (const index of lateIndexes) {
        await db.query("insert into schema_indexes (name) values ($1)", [index.name]);
        unbuilt.push(index);
      }
    }
    await db.query("insert into schema_migrations (number, name, applied_at) values ($1, $2, $3)", [
      number,
      name,
      now.toISOString(),
    ]);
    // One process alone uses a file, so its migrations need not leave anything to older programs.
    if (store.kind === "postgres")
      await db.query("insert into schema_promises (number, oldest) values ($1, $2)", [number, oldest]);
  }
  return { applied: next.map(({ name }) => name), unbuilt, isOver: next.length === missing.length };
}

/** Each as the newest of the applied migrations has it. */
const lateIndexesOf = (migrations: Migration[], applied: ReadonlySet<number>): Map<string, LateIndex> =>
  new Map(
    migrations
      .filter(({ number }) => applied.has(number))
      .flatMap(({ sql }) => partsOf(sql).lateIndexes)
      .map((index) => [index.name, index]),
  );

/** The waits for locks of all these statements take no longer than this, together: others wait behind them. */
async function runWithin(milliseconds: number, runScript: Site["runScript"], statements: string[]): Promise<void> {
  const startedAt = performance.now();
  for (const statement of statements) {
    const left = Math.ceil(milliseconds - (performance.now() - startedAt));
    await runScript(`set local lock_timeout = ${Math.max(1, left)}`);
    await runScript(statement);
  }
}

/** Whether every program that may use the schema knows this migration. */
export async function isKnownByAll(store: Store, number: number): Promise<boolean> {
  // One process alone uses a file, and none that is older than its schema.
  if (store.kind === "sqlite") return true;
  const [row] = await store.query<{ oldest: number | null }>("select max(oldest) as oldest from schema_promises");
  return Number(row?.oldest ?? 0) >= number;
}

/** Ends an upgrade on PostgreSQL: programs that do not know this schema are refused from now on. */
export async function refuseOlder(store: Store): Promise<void> {
  const known = newestOf(knownMigrations());
  await store.transaction((db) =>
    db.query("update schema_promises set oldest = $1 where number = $1 and oldest < $1", [known]),
  );
}

interface AppliedMigration {
  number: number;
  /** Null if the program that applied it promised nothing. */
  oldest: number | null;
}

const appliedSql =
  "select number, oldest from schema_migrations left join schema_promises using (number) order by number";

const newestOf = (migrations: readonly { number: number }[]): number =>
  Math.max(0, ...migrations.map(({ number }) => number));

/** Whether a program that knows migrations up to `known` may use the schema. */
const mayUse = (applied: readonly AppliedMigration[], known: number): boolean =>
  applied.every(({ number, oldest }) => number <= known || (oldest !== null && oldest <= known));

function tooNewText(applied: readonly AppliedMigration[], known: number): string {
  const oldest = Math.max(...applied.map((each) => each.oldest ?? 0));
  const promise = oldest > known ? ` It may be used by programs that know ${oldest}.` : "";
  return `The database is at schema ${newestOf(applied)}, and this program knows only up to ${known}.${promise} Start the newer program, or restore a backup.`;
}

/** How the schema of a store compares with this program, for people; null if it is the program's own, or older. */
export async function newerSchema(store: ReadOnlyStore): Promise<{ detail: string; mayUse: boolean } | null> {
  const numbers = (await appliedMigrations(store)) ?? [];
  const known = newestOf(knownMigrations());
  if (newestOf(numbers.map((number) => ({ number }))) <= known) return null;
  const hasPromises = await isTable(store, "schema_promises");
  const applied = hasPromises
    ? await store.query<AppliedMigration>(appliedSql)
    : numbers.map((number) => ({ number, oldest: null }));
  if (!mayUse(applied, known)) return { detail: tooNewText(applied, known), mayUse: false };
  return {
    detail: `The database is at schema ${newestOf(applied)}, which a newer program has made, and this one knows up to ${known}: it may go on during an upgrade. Start the newer program on this node too.`,
    mayUse: true,
  };
}

/** The numbers of the migrations that a store has had; null if it has no schema at all. Changes nothing. */
export async function appliedMigrations(store: ReadOnlyStore): Promise<number[] | null> {
  if (!(await isTable(store, "schema_migrations"))) return null;
  const rows = await store.query<{ number: number }>("select number from schema_migrations order by number");
  return rows.map(({ number }) => number);
}

/** The indexes whose build has not ended: a node is at it, or the next start builds them. Changes nothing. */
export async function unbuiltIndexes(store: ReadOnlyStore): Promise<string[]> {
  if (store.kind === "sqlite" || !(await isTable(store, "schema_indexes"))) return [];
  const applied = new Set(await appliedMigrations(store));
  return (await readUnbuilt(store, lateIndexesOf(knownMigrations(), applied))).map(({ name }) => name);
}

export const isTable = async (store: ReadOnlyStore, name: string): Promise<boolean> => {
  const known =
    store.kind === "sqlite"
      ? "select 1 from sqlite_master where type = 'table' and name = $1"
      : "select 1 from information_schema.tables where table_schema = current_schema() and table_name = $1";
  return (await store.query(known, [name])).length > 0;
};
