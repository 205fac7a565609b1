import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, describe, inject } from "vitest";
import type { Store } from "../../src/store/db.ts";
import { migrate } from "../../src/store/migrate.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { templateName } from "./global-setup.ts";

export type StoreKind = Store["kind"];

let databaseCount = 0;

/** A fresh folder that is gone after the test. */
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

/** A copy of one that has the schema already: making it takes fifty times as long. */
async function newSqliteStore(): Promise<Store> {
  template ??= makeTemplate();
  const file = join(temporaryFolder(), "test.sqlite");
  copyFileSync(await template, file);
  return openSqlite(file);
}

let template: Promise<string> | null = null;

afterAll(async () => {
  if (template) rmSync(dirname(await template), { recursive: true, force: true });
});

async function makeTemplate(): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), "signalbox-template-")), "template.sqlite");
  const store = openSqlite(file);
  await migrate(store, new Date());
  await store.close();
  return file;
}

async function newPostgresStore(): Promise<Store> {
  return openPostgres(await newPostgresDatabase());
}

/** The address of a fresh database on the tests' own server. */
export async function newPostgresDatabase(template = templateName): Promise<string> {
  const url = inject("postgresUrl");
  if (!url) throw new Error("There is no PostgreSQL for this test: use describeOnBothStores.");
  const name = `test_${process.pid}_${databaseCount++}`;
  const admin = openPostgres(url, 1);
  await admin.query(`create database ${name} template ${template}`);
  await admin.close();
  return url.replace(/\/postgres$/, `/${name}`);
}

/** The rules hold on both databases, so their tests run twice. */
export function describeOnBothStores(name: string, body: (kind: StoreKind) => void): void {
  describe(`${name}, on SQLite`, () => body("sqlite"));
  describe.skipIf(inject("postgresUrl") === null)(`${name}, on PostgreSQL`, () => body("postgres"));
}

const cleanUps: (() => Promise<unknown>)[] = [];

/** Run in reverse after each test. */
export const cleanUpLater = (work: () => Promise<unknown>): void => void cleanUps.push(work);

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});
