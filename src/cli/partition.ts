import type { Command } from "commander";
import type { Region } from "../kernel/regions.ts";
import { growingTables } from "../retention/growing-tables.ts";
import { openStore } from "../start/region/open-database.ts";
import { readConfig } from "../start/settings/config.ts";
import { regionSettings } from "../start/settings/region-settings.ts";
import type { Store } from "../store/db.ts";
import { addMonths } from "../store/partitions/add-months.ts";
import { readState } from "../store/partitions/catalogue.ts";
import { TableBusy } from "../store/partitions/change-table.ts";
import { type GrowingTable, monthAfter, monthName } from "../store/partitions/months.ts";
import { obstaclesOf } from "../store/partitions/obstacles.ts";
import { commandPatience, firstBound, PartitionRefused, partitionTable } from "../store/partitions/partition-table.ts";
import {
  CommandRefused,
  noteStore,
  type OperatorOptions,
  operatorCommand,
  printRows,
  regionOf,
  requireStore,
} from "./as-operator.ts";
import { createBar } from "./terminal/progress-bar.ts";
import { terminal } from "./terminal/terminal.ts";

interface PartitionOptions extends OperatorOptions {
  plan?: true;
}

export const partitionCommand = (): Command =>
  operatorCommand("partition", "Partition the growing tables of a PostgreSQL region by month, while servers run")
    .option("--plan", "change nothing: say what would be done")
    .addHelpText(
      "after",
      `
For regions with tens of millions of runs; docs/scale.md says what it costs and what it gains. Take a backup first: only a restore undoes it.

The command works on one table after the other. The existing rows become the first partition, without a copy. PostgreSQL reads the table once, while other work continues; then all calls that use it wait for some milliseconds. If a table is busy, the command says so: run it again, and it continues with the tables that are left.

From then on, the servers create the partitions of each next month, and drop those of past months when retention has deleted their last row.`,
    )
    .action(partition);

async function partition(options: PartitionOptions): Promise<void> {
  const config = readConfig(terminal().environment, { home: options.home });
  const region = regionOf(options, config);
  if (config.databaseUrls[region] === null) {
    const setting = regionSettings.databaseUrl(region).name;
    throw new CommandRefused(
      `The region ${region} is a SQLite file, which has no partitions. ${setting} moves it to PostgreSQL. Nothing was changed.`,
    );
  }
  await requireStore(config, region);
  const store = await openStore(config, region);
  try {
    const rows = options.plan ? await planOf(store, region) : await partitionAll(store, region);
    noteStore(config, region);
    printRows(rows, options);
  } finally {
    await store.close();
  }
}

type Row = Record<string, unknown>;

async function planOf(store: Store, region: Region): Promise<Row[]> {
  const rows: Row[] = [];
  for (const table of growingTables(region)) {
    const state = await readState(store, table);
    const [obstacle] = state?.isPartitioned ? [] : await obstaclesOf(store, table);
    const first = `partition by month; rows until ${lastMonth(firstBound(new Date()))} become the first partition`;
    const plan = state?.isPartitioned ? "nothing: it is partitioned" : (obstacle ?? first);
    rows.push({ table: table.name, rows: state?.rows ?? 0, bytes: state?.bytes ?? 0, plan });
  }
  return rows;
}

const lastMonth = (end: Date): string => monthName(monthAfter(end, -1));

async function partitionAll(store: Store, region: Region): Promise<Row[]> {
  const bar = createBar("partition");
  const rows: Row[] = [];
  try {
    for (const table of growingTables(region)) {
      bar.step(`reading ${table.name}`);
      const did = await partitionOne(store, table);
      const { partitions = [], bytes = 0 } = (await readState(store, table)) ?? {};
      const until = partitions.at(-1)?.from;
      rows.push({ table: table.name, did, partitions: partitions.length, until: until && lastMonth(until), bytes });
    }
    return rows;
  } catch (error) {
    if (!(error instanceof PartitionRefused || error instanceof TableBusy)) throw error;
    const done = rows.map(({ table }) => table).join(", ");
    throw new CommandRefused(`${error.message}${done ? `\n  Done before: ${done}.` : ""}`);
  } finally {
    bar.end();
  }
}

async function partitionOne(store: Store, table: GrowingTable): Promise<string> {
  const now = new Date();
  if (!(await readState(store, table))?.isPartitioned) {
    await partitionTable(store, table, now);
    return "partitioned";
  }
  const { lockMilliseconds } = commandPatience;
  const added = await addMonths(store, table, now, { lockMilliseconds, movedRowsMax: Number.MAX_SAFE_INTEGER - 1 });
  return added.length > 0 ? `added ${added.join(", ")}` : "nothing: it was partitioned";
}
