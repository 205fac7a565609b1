import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, inject } from "vitest";
import type { Store } from "../../src/store/db.ts";
import { migrate } from "../../src/store/migrate.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { lend } from "./databases/lent-store.ts";
import { templateName } from "./runner/global-setup.ts";

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
  return kind === "sqlite" ? newSqliteStore() : newPostgresStore();
}

/** Copies a file that has the schema already: creating it takes fifty times as long. */
async function newSqliteStore(): Promise<Store> {
  template ??= makeTemplate();
  const file = join(temporaryFolder(), "test.sqlite");
  copyFileSync(await template, file);
  // Like the PostgreSQL of the tests, it need not survive the machine.
  const store = openSqlite(file, { outlives: "the process" });
  cleanUps.push(() => store.close());
  return store;
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

/** A database and its open connections. */
interface Database {
  url: string;
  store: Store;
}

async function newPostgresStore(): Promise<Store> {
  const database = left.pop() ?? (await openDatabase());
  const lent = lend(database.store);
  cleanUps.push(async () => {
    if ((await lent.end()) && (await empty(database))) left.push(database);
    else await database.store.close();
  });
  return lent.store;
}

async function openDatabase(): Promise<Database> {
  const url = await newPostgresDatabase();
  return { url, store: openPostgres(url) };
}

/** Databases that finished tests left. Emptying one takes a hundredth of the time of creating one. */
const left: Database[] = [];

/**
 * Kept as a function of the session, with its plans. As a replication role of PostgreSQL, which skips foreign keys and
 * triggers, it empties even the append-only audit log.
 */
const prepareEmptying = `do $$ declare statements text; begin
  select string_agg(format('delete from %I;', tablename), ' ') into statements
    from pg_tables where schemaname = 'public' and tablename not in ('schema_migrations', 'schema_promises');
  execute format('create function pg_temp.empty_all() returns void language plpgsql as %L', 'begin ' || statements || ' end');
  set session_replication_role = replica;
end $$`;

/** One connection to each, which stays. */
const emptying = new Map<string, Store>();

const looksMax = 5;

/** Returns whether the database is as new: no connection may still write, and no test has created its own tables. */
async function empty({ url }: Database): Promise<boolean> {
  const store = emptying.get(url) ?? openPostgres(url, 1);
  if (!emptying.has(url)) await store.query(prepareEmptying);
  emptying.set(url, store);
  for (let look = 1; look <= looksMax; look++) {
    const [seen] = await store.query<{ busy: number; tables: number }>(
      `select (select count(*) from pg_stat_activity
                where datname = current_database() and pid <> pg_backend_pid() and state is distinct from 'idle') as busy,
              (select count(*) from pg_tables where schemaname = 'public') as tables`,
    );
    if (seen?.tables !== inject("postgresTables")) break;
    // A connection is busy for an instant after its answer.
    if (seen.busy > 0) continue;
    await store.query("select pg_temp.empty_all()");
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
