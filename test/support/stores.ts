import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, inject } from "vitest";
import type { Store } from "../../src/store/db.ts";
import { migrate } from "../../src/store/migrate.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { templateName } from "./global-setup.ts";

export type StoreKind = Store["kind"];

let databaseCount = 0;

/** A new folder that is deleted after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-test-"));
  cleanUps.push(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An empty store with the whole schema, closed and deleted after the test. */
export async function newStore(kind: StoreKind): Promise<Store> {
  const store = kind === "sqlite" ? await newSqliteStore() : await newPostgresStore();
  cleanUps.push(() => store.close());
  return store;
}

/** Copies a file that has the schema already: creating it takes fifty times as long. */
async function newSqliteStore(): Promise<Store> {
  template ??= makeTemplate();
  const file = join(temporaryFolder(), "test.sqlite");
  copyFileSync(await template, file);
  // Like the PostgreSQL of the tests, it need not survive the machine.
  return openSqlite(file, { outlives: "the process" });
}

let template: Promise<string> | null = null;

async function makeTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-template-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "template.sqlite");
  const store = openSqlite(file, { outlives: "the process" });
  await migrate(store, new Date());
  await store.close();
  return file;
}

async function newPostgresStore(): Promise<Store> {
  const url = left.pop() ?? (await newPostgresDatabase());
  cleanUps.push(async () => {
    if (await empty(url)) left.push(url);
  });
  return openPostgres(url);
}

/** Databases that finished tests left. Emptying one takes a twentieth of the time of creating one. */
const left: string[] = [];

/**
 * As a replication role of PostgreSQL, which skips foreign keys and triggers: even the append-only audit log can be
 * emptied.
 */
const emptyAll = `do $$ declare name text; begin
  set local session_replication_role = replica;
  for name in select tablename from pg_tables where schemaname = 'public' and tablename not in ('schema_migrations', 'schema_promises') loop
    execute format('delete from %I', name);
  end loop;
end $$`;

/** One connection to each, which stays: a new one would read the whole catalogue again. */
const emptying = new Map<string, Store>();

/** Returns whether the database is as new: no connection may still write, and no test has created its own tables. */
async function empty(url: string): Promise<boolean> {
  const store = emptying.get(url) ?? openPostgres(url, 1);
  emptying.set(url, store);
  const [seen] = await store.query<{ others: number; tables: number }>(
    `select (select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()) as others,
            (select count(*) from pg_tables where schemaname = 'public') as tables`,
  );
  if (seen?.others === 0 && seen.tables === inject("postgresTables")) {
    await store.query(emptyAll);
    return true;
  }
  emptying.delete(url);
  await store.close();
  return false;
}

/** The address of a new database on the tests' own server. */
export async function newPostgresDatabase(template = templateName): Promise<string> {
  const url = inject("postgresUrl");
  if (!url) throw new Error("There is no PostgreSQL for this test: use describeOnBothStores.");
  const name = `test_${process.pid}_${databaseCount++}`;
  const admin = openPostgres(url, 1);
  await admin.query(`create database ${name} template ${template}`);
  await admin.close();
  return url.replace(/\/postgres$/, `/${name}`);
}

/** Rules must hold on both databases, so their tests run twice. */
export function describeOnBothStores(name: string, body: (kind: StoreKind) => void): void {
  describe(`${name}, on SQLite`, () => body("sqlite"));
  describe.skipIf(inject("postgresUrl") === null)(`${name}, on PostgreSQL`, () => body("postgres"));
}

const cleanUps: (() => Promise<unknown>)[] = [];

/** Runs in reverse order after each test. */
export const cleanUpLater = (work: () => Promise<unknown>): void => void cleanUps.push(work);

export async function cleanUp(): Promise<void> {
  for (const work of cleanUps.splice(0).reverse()) await work();
}
