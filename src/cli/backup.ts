import { existsSync, statSync } from "node:fs";
import type { Command } from "commander";
import type { Region } from "../kernel/regions.ts";
import { type Config, readConfig } from "../start/config.ts";
import { sqliteFile } from "../start/open-store.ts";
import { regionSettings } from "../start/region-settings.ts";
import { copyStore } from "../store/backup.ts";
import { CommandRefused, type OperatorOptions, operatorCommand, print } from "./command.ts";

export const backupCommand = (): Command =>
  operatorCommand("backup", "Copy a region's SQLite store into a file, beside a running server or without one")
    .requiredOption("--to <file>", "the file to make; there must be none")
    .addHelpText(
      "after",
      "\nThe copy is whole and of one moment. The master key is not in it: keep that apart. For PostgreSQL use pg_dump, or\nyour provider's backups.",
    )
    .action(backUp);

function backUp(options: OperatorOptions & { to: string }): void {
  const region = options.region as Region;
  const config = readConfig(process.env, { home: options.home });
  refuseServer(config, region, "Use pg_dump, or your provider's backups.");
  const file = sqliteFile(config, region);
  if (!existsSync(file))
    throw new CommandRefused(`There is no store of the region ${region} in ${config.home}: ${file}.`);
  if (existsSync(options.to)) throw new CommandRefused(`${options.to} is there already; name a file that is not.`);
  try {
    copyStore(file, options.to);
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/\.$/, "") : error;
    throw new CommandRefused(`No backup was made: ${why}.`);
  }
  print({ region, file: options.to, bytes: statSync(options.to).size, taken_at: new Date().toISOString() }, options);
}

export function refuseServer(config: Config, region: Region, instead: string): void {
  if (config.databaseUrls[region] === null) return;
  throw new CommandRefused(
    `The region ${region} is on PostgreSQL (${regionSettings.databaseUrl(region).name}), which this command does not copy. ${instead}`,
  );
}
