import { readdirSync, readFileSync } from "node:fs";
import type { Store } from "./db.ts";
import { oldestBeside } from "./previous-version.ts";
import type { ReadOnlyStore } from "./read-only-store.ts";

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
 * Applies each new migration once, in order, in one transaction under one lock: two nodes may start at once, and a
 * crash leaves the old schema whole. Returns the names of the migrations applied now. On PostgreSQL it records with each
 * the oldest program that may work beside it, by the newest migration which that program knows: during an upgrade, nodes
 * of the previous version go on, and may start again. An empty database has none: older programs are refused there.
 */
export async function migrate(store: Store, now: Date, migrations: Migration[] = knownMigrations()): Promise<string[]> {
  return store.exclusively(async (db, runScript) => {
    await runScript(`create table if not exists schema_migrations
      (number bigint primary key, name text not null, applied_at text not null)`);
    await runScript("create table if not exists schema_promises (number bigint primary key, oldest bigint not null)");
    const rows = await db.query<AppliedMigration>(appliedSql);
    const known = newestOf(migrations);
    if (!mayUse(rows, known)) throw new SchemaTooNew(tooNewText(rows, known));
    const oldest = rows.length === 0 ? known : oldestBeside;
    const applied = new Set(rows.map((row) => row.number));
    const missing = migrations.filter((migration) => !applied.has(migration.number));
    for (const { number, name, sql } of missing) {
      await runScript(dialectOf(sql, store.kind));
      await db.query("insert into schema_migrations (number, name, applied_at) values ($1, $2, $3)", [
        number,
        name,
        now.toISOString(),
      ]);
      // One process alone uses a file, so its migrations need not leave anything to older programs.
      if (store.kind === "postgres")
        await db.query("insert into schema_promises (number, oldest) values ($1, $2)", [number, oldest]);
    }
    return missing.map((migration) => migration.name);
  });
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

export const isTable = async (store: ReadOnlyStore, name: string): Promise<boolean> => {
  const known =
    store.kind === "sqlite"
      ? "select 1 from sqlite_master where type = 'table' and name = $1"
      : "select 1 from information_schema.tables where table_schema = current_schema() and table_name = $1";
  return (await store.query(known, [name])).length > 0;
};

/**
 * One text for both databases. Triggers are written twice, between `-- only sqlite` and `-- end`. Text for SQLite only
 * stands in a comment that starts with its name; it is uncommented here.
 */
export function dialectOf(sql: string, kind: Store["kind"]): string {
  const text = sql.replace(/^-- only (sqlite|postgres)\n([\s\S]*?)^-- end\n/gm, (_, only: string, block: string) =>
    only === kind ? block : "",
  );
  return kind === "sqlite" ? text.replace(/\/\* sqlite: (.*?) \*\//g, "$1") : text;
}
