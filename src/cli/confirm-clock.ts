import { type Region, regions } from "../kernel/regions.ts";
import { isStoreMade } from "../start/region/open-database.ts";
import { readConfig } from "../start/settings/config.ts";
import { confirmClock } from "../store/clock/confirm-clock.ts";
import { type OperatorOptions, operatorCommand, printRows, requireStore, withStore } from "./as-operator.ts";
import { terminal } from "./terminal/terminal.ts";

export const confirmClockCommand = () =>
  operatorCommand("confirm-clock", "Say that the clock is right after it has jumped forward")
    .addHelpText(
      "after",
      `
After a jump of more than a day, such as that of a server that was off for weeks, nothing expires by the jump until the clock has gone on steadily for a day: a wrong clock would delete what is still needed. This command ends that wait. Running servers follow within a minute.`,
    )
    .action(confirm);

async function confirm(options: OperatorOptions): Promise<void> {
  const config = readConfig(terminal().environment, { home: options.home, regions: options.region });
  const made: Region[] = [];
  for (const region of config.regions) if (await isStoreMade(config, region)) made.push(region);
  if (made.length === 0) await requireStore(config, config.regions[0] ?? regions[0]);
  const rows: Record<string, unknown>[] = [];
  for (const region of made) {
    rows.push({ region, ...(await withStore(config, region, (_scope, store) => confirmClock(store, new Date()))) });
  }
  printRows(rows, options);
}
