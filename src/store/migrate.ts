import { readdirSync, readFileSync } from "node:fs";
import type { Store } from "./db.ts";
import type { StoreLook } from "./look.ts";

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
 * crash leaves the old schema whole. Returns the names of the migrations applied now.
 */
export async function migrate(store: Store, now: Date, migrations: Migration[] = knownMigrations()): Promise<string[]> {
  return store.exclusively(async (db, runScript) => {
    await runScript(`create table if not exists schema_migrations
      (number bigint primary key, name text not null, applied_at text not null)`);
    const rows = await db.query<{ number: number }>("select number from schema_migrations");
    const applied = new Set(rows.map((row) => row.number));
    const newest = Math.max(0, ...applied);
    const known = Math.max(0, ...migrations.map((migration) => migration.number));
    if (newest > known) {
      throw new SchemaTooNew(
        `The database is at schema ${newest}, and this program knows only up to ${known}. Start the newer program, or restore a backup.`,
      );
    }
    const missing = migrations.filter((migration) => !applied.has(migration.number));
    for (const { number, name, sql } of missing) {
      await runScript(dialectOf(sql, store.kind));
      await db.query("insert into schema_migrations (number, name, applied_at) values ($1, $2, $3)", [
        number,
        name,
        now.toISOString(),
      ]);
    }
    return missing.map((migration) => migration.name);
  });
}

/** The numbers of the migrations that a store has had; null if it has no schema at all. Changes nothing. */
export async function appliedMigrations(store: StoreLook): Promise<number[] | null> {
  const known =
    store.kind === "sqlite"
      ? "select 1 from sqlite_master where type = 'table' and name = 'schema_migrations'"
      : "select 1 from information_schema.tables where table_schema = current_schema() and table_name = 'schema_migrations'";
  if ((await store.query(known)).length === 0) return null;
  const rows = await store.query<{ number: number }>("select number from schema_migrations order by number");
  return rows.map(({ number }) => number);
}

/**
 * One text for both databases. Triggers are written twice, between `-- only sqlite` and `-- end`. Text for SQLite only
 * stands in a comment that starts with its name; it is uncommented here.
 */
function dialectOf(sql: string, kind: Store["kind"]): string {
  const text = sql.replace(/^-- only (sqlite|postgres)\n([\s\S]*?)^-- end\n/gm, (_, only: string, block: string) =>
    only === kind ? block : "",
  );
  return kind === "sqlite" ? text.replace(/\/\* sqlite: (.*?) \*\//g, "$1") : text;
}
