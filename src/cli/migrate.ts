import { Command } from "commander";
import { type Flags, readConfig } from "../start/settings/config.ts";
import type { Store } from "../store/db.ts";
import { knownMigrations, refuseOlder } from "../store/migrate.ts";
import { withStore } from "./as-operator.ts";
import { regionOption } from "./calling/calling-command.ts";
import { terminal, writeLine, writeNote } from "./terminal/terminal.ts";

interface MigrateFlags extends Pick<Flags, "home" | "regions"> {
  region?: string;
  refuseOlder?: true;
  json?: true;
}

export const migrateCommand = (): Command =>
  new Command("migrate")
    .description(
      "Bring the schema of every region up to date, and create a store where there is none (serve does it too)",
    )
    .option("--home <folder>", "the data folder, default ./data or SIGNALBOX_HOME")
    .addOption(regionOption("one region; default: all of SIGNALBOX_REGIONS"))
    .option("--regions <list>", "several regions, separated by commas")
    .option("--refuse-older", "end an upgrade on PostgreSQL: programs of older versions can no longer start there")
    .option("--json", "print one JSON value")
    .action(async (flags: MigrateFlags) => {
      const config = readConfig(terminal().environment, { home: flags.home, regions: flags.region ?? flags.regions });
      const schema = knownMigrations().at(-1)?.name ?? "none";
      for (const region of config.regions) {
        const work = async (_scope: unknown, store: Store) => {
          if (flags.refuseOlder) await refuseOlder(store);
          if (!flags.json) writeLine(`${region}: up to date (${schema})`);
        };
        // An index may take hours. With --json, only a refusal stands on standard error.
        await withStore(config, region, work, flags.json ? undefined : (text) => writeNote(`${region}: ${text}`));
      }
      if (flags.json)
        writeLine(JSON.stringify({ results: config.regions.map((region) => ({ region, schema })), next: null }));
    });
