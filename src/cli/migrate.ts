import { Command } from "commander";
import { readConfig } from "../start/config.ts";
import { knownMigrations } from "../store/migrate.ts";
import { withStore } from "./command.ts";

export const migrateCommand = (): Command =>
  new Command("migrate")
    .description("Bring the schema of every region up to date (serve does it too)")
    .option("--home <folder>", "the data folder")
    .option("--regions <list>", "which regions, with commas between")
    .action(async (flags: { home?: string; regions?: string }) => {
      const config = readConfig(process.env, flags);
      const newest = knownMigrations().at(-1)?.name ?? "none";
      for (const region of config.regions) {
        await withStore(config, region, async () => console.log(`${region}: up to date (${newest})`));
      }
    });
