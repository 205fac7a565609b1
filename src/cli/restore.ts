import { existsSync, mkdirSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { listChains } from "../access/audit/audit.ts";
import { verifyChain } from "../access/audit/verify-chain.ts";
import type { Region } from "../kernel/regions.ts";
import { lockFile, markFile, openStore, sqliteFile } from "../start/region/open-database.ts";
import { recordRestore } from "../start/region/record-restore.ts";
import { type Config, readConfig } from "../start/settings/config.ts";
import { regionSettings } from "../start/settings/region-settings.ts";
import { type CheckedCopy, CopyRefused, checkCopy, restoreCopy } from "../store/backup.ts";
import { countRows, type RowCounts } from "../store/count-rows.ts";
import type { Db } from "../store/db.ts";
import { migrate } from "../store/migrate.ts";
import { countServers, DumpRefused, hasTables, isDump, restoreDump, undoRestore } from "../store/postgres/dump.ts";
import { withExclusiveLock } from "../store/process-lock.ts";
import { raiseMark } from "../store/restore-detection.ts";
import { openSqlite } from "../store/sqlite/sqlite.ts";
import { CommandRefused, noteStore, type OperatorOptions, operatorCommand, print, regionOf } from "./as-operator.ts";
import { askYes } from "./terminal/ask.ts";
import { createBar } from "./terminal/progress-bar.ts";
import { terminal, writeNote } from "./terminal/terminal.ts";

interface RestoreOptions extends OperatorOptions {
  from?: string;
  force?: true;
  onlyMark?: true;
}

export const restoreCommand = (): Command =>
  operatorCommand("restore", "Replace a region's store with a backup, while no server uses it")
    .option("--from <file>", "the backup; it is not changed")
    .option("--force", "do not ask before an existing store is replaced")
    .option(
      "--only-mark",
      "change no data: check and mark a store that was restored by other means (a snapshot, WAL files)",
    )
    .addHelpText(
      "after",
      `
The command keeps the store that it replaces, under a name that it prints. On a terminal it asks first; a script is not asked.

Before it replaces the store, the command checks the backup: its structure, the rows, and the audit chain of every organization. If a check fails, the old store stays.

The backup does not contain what happened after it was taken. For runs that were open at that time, Signalbox asks the external system which writes have happened; if the system cannot tell, the run waits for a person (outcome_unknown). Missed times of schedules are skipped. Webhook deliveries and mails that were waiting may be sent a second time, with the same ids.

The backup can only be read with the master key of its time.`,
    )
    .action(restore);

async function restore(options: RestoreOptions): Promise<void> {
  const config = readConfig(terminal().environment, { home: options.home });
  const region = regionOf(options, config);
  if (options.onlyMark) return markOnly(config, region, options);
  const { from } = options;
  if (from === undefined) throw new CommandRefused("Which backup? Name it with --from FILE.");
  if (!existsSync(from)) throw new CommandRefused(`There is no file ${from}.`);
  refuseUnreadable(from);
  const bar = createBar("restore");
  const now = new Date();
  const said: string[] = [];
  try {
    const work = { config, region, from, now, said, bar, isForced: options.force === true };
    const done = config.databaseUrls[region] === null ? await restoreFile(work) : await restoreServer(work);
    bar.end();
    noteStore(config, region);
    const kept = "old_file" in done ? done.old_file : done.old_schema && `the schema ${done.old_schema}`;
    if (kept !== null) writeNote(`The store that was replaced is kept: ${kept}. Delete it when you no longer need it.`);
    for (const sentence of said) writeNote(sentence);
    print({ region, restored_at: now.toISOString(), ...done }, options);
  } finally {
    bar.end();
  }
}

/** A backup that root has made, or a folder. */
function refuseUnreadable(from: string): void {
  try {
    isDump(from);
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    throw new CommandRefused(`This user cannot read ${from}. Nothing was changed.\n  ${why}`);
  }
}

interface Work {
  config: Config;
  region: Region;
  from: string;
  now: Date;
  /** Sentences about what does not happen after the restore. */
  said: string[];
  bar: ReturnType<typeof createBar>;
  isForced: boolean;
}

async function restoreFile({ config, region, from, now, said, bar, isForced }: Work) {
  const file = sqliteFile(config, region);
  if (resolve(from) === resolve(file)) throw new CommandRefused(`${from} is the store itself.`);
  if (isDump(from)) {
    const setting = regionSettings.databaseUrl(region).name;
    const found = `The file is a PostgreSQL dump, and the region ${region} is on SQLite.`;
    throw new CommandRefused(`${found} Set ${setting} to the database that should hold it.`);
  }
  return withoutServer(config, region, async () => {
    const backup = checkedCopy(from);
    if (existsSync(file)) await confirm(`${file} is replaced; it is kept under another name.`, isForced);
    let verified: Verified | null = null;
    const aside = await restoreCopy(from, file, {
      now,
      open: openSqlite,
      async prepare(store) {
        bar.step("bringing the schema up to date");
        await migrate(store, now);
        bar.step("verifying");
        verified = { integrity: "ok", ...(await verify(store)) };
        refuseFewer(backup, verified.rows);
        await recordRestore(store, now, (sentence) => said.push(sentence));
        // Last: the file beside the store then belongs to the copy.
        await raiseMark(store, markFile(config, region), now);
      },
    });
    return { file, old_file: aside, verified };
  });
}

async function restoreServer({ config, region, from, now, said, bar, isForced }: Work) {
  const url = config.databaseUrls[region]?.reveal() ?? "";
  const setting = regionSettings.databaseUrl(region).name;
  if (!isDump(from)) {
    const found = `The file is no PostgreSQL dump, and the region ${region} is on PostgreSQL (${setting}).`;
    throw new CommandRefused(`${found} Restore it where it came from.`);
  }
  return asRefusal(async () => {
    const servers = await countServers(url);
    if (servers > 0) {
      throw new CommandRefused(
        `Signalbox servers use the database of the region ${region} (${servers} connections). Stop them first. Nothing was changed.\n  A connection pooler may keep connections for some minutes after that: name the database itself in ${setting}.`,
      );
    }
    if (await hasTables(url)) await confirm(`The database of ${setting} is replaced; its schema is renamed.`, isForced);
    bar.step("pg_restore is working");
    const aside = await restoreDump(url, from, now);
    try {
      bar.step("verifying");
      const store = await openStore(config, region);
      try {
        await recordRestore(store, now, (sentence) => said.push(sentence));
        return { old_schema: aside, verified: await verify(store) };
      } finally {
        await store.close();
      }
    } catch (error) {
      await undoRestore(url, aside);
      throw error;
    }
  });
}

async function asRefusal<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DumpRefused) throw new CommandRefused(`Nothing was changed. ${error.message}`);
    throw error;
  }
}

/** Programs have named everything they want; a person is asked once more. */
async function confirm(what: string, isForced: boolean): Promise<void> {
  if (isForced || !terminal().stdin.isTTY || !terminal().stderr.isTTY) return;
  if (!(await askYes(`${what} Go on?`))) throw new CommandRefused("Nothing was changed.");
}

interface Verified {
  integrity?: "ok";
  audit_chains: number;
  rows: RowCounts;
}

/** Reads the whole audit log. Refuses a store in which a chain is broken. */
async function verify(
  db: Db,
  consequence = " of the backup, so it was not restored. Nothing was changed.",
): Promise<Verified> {
  const chains = await listChains(db);
  for (const organizationId of chains) {
    const { valid, broken_at } = await verifyChain(db, organizationId);
    if (!valid) {
      throw new CommandRefused(`The audit chain of ${organizationId} is broken at row ${broken_at}${consequence}`);
    }
  }
  return { audit_chains: chains.length, rows: await countRows(db) };
}

function refuseFewer({ rows }: CheckedCopy, restored: RowCounts): void {
  for (const table of Object.keys(rows) as (keyof RowCounts)[]) {
    if (restored[table] === rows[table]) continue;
    throw new CommandRefused(
      `The backup has ${rows[table]} rows of ${table}, and its copy ${restored[table]}. Nothing was changed.`,
    );
  }
}

function checkedCopy(from: string): CheckedCopy {
  try {
    return checkCopy(from);
  } catch (error) {
    if (error instanceof CopyRefused) throw new CommandRefused(`${from} cannot be restored. ${error.message}`);
    throw error;
  }
}

async function markOnly(config: Config, region: Region, options: RestoreOptions): Promise<void> {
  if (options.from !== undefined) throw new CommandRefused("--only-mark changes no data: leave --from out.");
  const now = new Date();
  const mark = async (): Promise<Verified> => {
    const store = await openStore(config, region);
    try {
      // First the mark: a damaged store must not send its writes again either.
      await recordRestore(store, now, writeNote);
      if (store.kind === "sqlite") await raiseMark(store, markFile(config, region), now);
      return await verify(store, ". The store is marked as restored, but do not start it.");
    } finally {
      await store.close();
    }
  };
  const verified = await (config.databaseUrls[region] === null ? withoutServer(config, region, mark) : mark());
  noteStore(config, region);
  print({ region, restored_at: now.toISOString(), verified }, options);
}

async function withoutServer<T>(config: Config, region: Region, work: () => Promise<T>): Promise<T> {
  mkdirSync(config.home, { recursive: true, mode: 0o700 });
  const done = await withExclusiveLock(lockFile(config, region), work);
  if (done === null) {
    throw new CommandRefused(
      `A server uses the region ${region} in ${config.home}. Stop it first. Nothing was changed.`,
    );
  }
  return done.result;
}
