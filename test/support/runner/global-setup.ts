import type { TestProject } from "vitest/node";
import { ensureConsole } from "../../../src/start/build-console.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { openPostgres } from "../../../src/store/postgres/postgres.ts";
import { installChromium } from "../browser/find-chromium.ts";
import { startPostgres } from "../databases/postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Of the server that all test files share; null without one. */
    postgresUrl: string | null;
    /** The number of tables in its schema. */
    postgresTables: number;
    /** Where the built console is. */
    consoleFolder: string;
  }
}

/** The template of every test's own database, with the schema. */
export const templateName = "signalbox_template";

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  installChromium();
  // Servers that tests start find the console built, and do not build it at the same time. The mask is that of `signalbox build`.
  const umask = process.umask(0o077);
  project.provide("consoleFolder", await ensureConsole());
  process.umask(umask);
  const server = await startPostgres();
  if (typeof server === "string") {
    console.log(`\nNOT RUN: everything that says "on PostgreSQL", because ${server}.\n`);
    project.provide("postgresUrl", null);
    project.provide("postgresTables", 0);
    return async () => {};
  }
  const admin = openPostgres(server.url, 1);
  await admin.query(`create database ${templateName}`);
  await admin.close();
  const template = openPostgres(server.url.replace(/\/postgres$/, `/${templateName}`), 1);
  await migrate(template, new Date());
  const [schema] = await template.query<{ tables: number }>(
    "select count(*) as tables from pg_tables where schemaname = 'public'",
  );
  await template.close();
  project.provide("postgresUrl", server.url);
  project.provide("postgresTables", schema?.tables ?? 0);
  return () => server.stop();
}
