import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import type { Region } from "../kernel/regions.ts";
import { noteBackup } from "../start/region/last-backup.ts";
import { sqliteFile } from "../start/region/open-database.ts";
import { type Config, readConfig } from "../start/settings/config.ts";
import { SettingRefused } from "../start/settings/setting-refused.ts";
import { copyStore } from "../store/backup.ts";
import type { RowCounts } from "../store/count-rows.ts";
import { StoreUnavailable } from "../store/db.ts";
import { dumpDatabase } from "../store/postgres/dump.ts";
import {
  CommandRefused,
  noteStore,
  type OperatorOptions,
  operatorCommand,
  print,
  regionOf,
  requireStore,
} from "./as-operator.ts";
import { createBar } from "./terminal/progress-bar.ts";
import { terminal } from "./terminal/terminal.ts";

export const backupCommand = (): Command =>
  operatorCommand("backup", "Copy a region's store into a file, with or without a running server")
    .requiredOption("--to <file>", "the file to create; it must not exist")
    .addHelpText(
      "after",
      `
The backup is a consistent copy of one moment: a SQLite file, or for PostgreSQL a dump in the custom format of pg_dump, which must be installed. The file appears only when it is complete and checked.

It does not contain the master key. Keep the key elsewhere: without it, the secrets in the backup cannot be read.`,
    )
    .action(backUp);

async function backUp(options: OperatorOptions & { to: string }): Promise<void> {
  const config = readConfig(terminal().environment, { home: options.home });
  const region = regionOf(options, config);
  if (existsSync(options.to)) throw new CommandRefused(`${options.to} exists already. Name a file that does not.`);
  refuseFolder(dirname(resolve(options.to)));
  const rows = await copied(config, region, options.to).catch((error) => {
    if (error instanceof CommandRefused || error instanceof SettingRefused || error instanceof StoreUnavailable)
      throw error;
    const why = error instanceof Error ? error.message.replace(/\.$/, "") : error;
    throw new CommandRefused(`No backup was made: ${why}.`);
  });
  const takenAt = new Date();
  noteBackup(config, region, options.to, takenAt);
  const masterKey = "not in the backup; keep it elsewhere";
  const { size: bytes } = statSync(options.to);
  noteStore(config, region);
  print({ region, file: options.to, bytes, taken_at: takenAt.toISOString(), rows, master_key: masterKey }, options);
}

/** SQLite and pg_dump say only that they cannot open the file. */
function refuseFolder(folder: string): void {
  if (!existsSync(folder))
    throw new CommandRefused(`No backup was made: there is no folder ${folder}. Create it first.`);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch {
    throw new CommandRefused(`No backup was made: this user cannot write to ${folder}.`);
  }
}

async function copied(config: Config, region: Region, to: string): Promise<RowCounts> {
  const bar = createBar("backup");
  try {
    const url = config.databaseUrls[region];
    if (url) {
      await requireStore(config, region);
      return await dumpDatabase(url.reveal(), to, (bytes) => bar.bytes(bytes));
    }
    const file = sqliteFile(config, region);
    if (!existsSync(file)) {
      throw new CommandRefused(`There is no store of the region ${region} in ${config.home}: ${file}.`);
    }
    return (await copyStore(file, to, (share) => bar.share(share))).rows;
  } finally {
    bar.end();
  }
}
