import { existsSync, mkdirSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { Region } from "../kernel/regions.ts";
import { skipMissed } from "../schedules/skip-missed.ts";
import { type Config, readConfig } from "../start/config.ts";
import { lockFile, markFile, openStore, sqliteFile } from "../start/open-store.ts";
import { CopyRefused, checkCopy, restoreCopy } from "../store/backup.ts";
import type { Store } from "../store/db.ts";
import { migrate } from "../store/migrate.ts";
import { withExclusiveLock } from "../store/process-lock.ts";
import { markRestored, raiseMark } from "../store/restore-detection.ts";
import { openSqlite } from "../store/sqlite/sqlite.ts";
import { refuseServer } from "./backup.ts";
import { CommandRefused, type OperatorOptions, operatorCommand, print } from "./command.ts";

interface RestoreOptions extends OperatorOptions {
  from?: string;
  onlyMark?: true;
}

export const restoreCommand = (): Command =>
  operatorCommand("restore", "Put a backup in the place of a region's store, while no server is at work on it")
    .option("--from <file>", "the backup; it stays as it is")
    .option("--only-mark", "change no data: note that the store was restored by other means (pg_restore, a snapshot)")
    .addHelpText(
      "after",
      `
What the store knows ends with the backup; what was sent to other systems after it does not. So writes of runs that were open
then are looked for at the systems, and wait for a person (outcome_unknown) where nobody can tell. Times of schedules that have
passed are skipped. Webhooks and mails that were waiting may be sent a second time, with the same ids.
On PostgreSQL: stop the nodes, use pg_restore, run this command with --only-mark, start the nodes.`,
    )
    .action(restore);

async function restore(options: RestoreOptions): Promise<void> {
  const region = options.region as Region;
  const config = readConfig(process.env, { home: options.home });
  if (options.onlyMark) return markOnly(config, region, options);
  refuseServer(
    config,
    region,
    "Stop its nodes, use pg_restore or your provider's tools, then run `signalbox restore --only-mark` and start them again.",
  );
  const from = options.from;
  if (from === undefined) throw new CommandRefused("Which backup? Name it with --from FILE.");
  if (!existsSync(from)) throw new CommandRefused(`There is no file ${from}.`);
  const file = sqliteFile(config, region);
  if (resolve(from) === resolve(file)) throw new CommandRefused(`${from} is the store itself.`);
  const now = new Date();
  const aside = await withoutServer(config, region, async () => {
    checkedCopy(from);
    return restoreCopy(from, file, {
      now,
      open: openSqlite,
      async prepare(store) {
        await migrate(store, now);
        await markRestoredAndRaise(store, now);
        await raiseMark(store, markFile(config, region), now);
      },
    });
  });
  print({ region, file, restored_at: now.toISOString(), old_file: aside }, options);
}

function checkedCopy(from: string): void {
  try {
    checkCopy(from);
  } catch (error) {
    if (error instanceof CopyRefused) throw new CommandRefused(`${from} cannot be restored. ${error.message}`);
    throw error;
  }
}

async function markOnly(config: Config, region: Region, options: RestoreOptions): Promise<void> {
  if (options.from !== undefined) throw new CommandRefused("--only-mark changes no data: leave --from out.");
  const now = new Date();
  const mark = async () => {
    const store = await openStore(config, region);
    try {
      await markRestoredAndRaise(store, now);
      if (store.kind === "sqlite") await raiseMark(store, markFile(config, region), now);
    } finally {
      await store.close();
    }
  };
  await (config.databaseUrls[region] === null ? withoutServer(config, region, mark) : mark());
  print({ region, restored_at: now.toISOString() }, options);
}

async function markRestoredAndRaise(store: Store, now: Date): Promise<void> {
  await markRestored(store, now);
  await skipMissed(store, now);
}

async function withoutServer<T>(config: Config, region: Region, work: () => Promise<T>): Promise<T> {
  mkdirSync(config.home, { recursive: true, mode: 0o700 });
  const done = await withExclusiveLock(lockFile(config, region), work);
  if (done === null) {
    throw new CommandRefused(
      `A server is at work on the region ${region} in ${config.home}: stop it first. Nothing was changed.`,
    );
  }
  return done.result;
}
