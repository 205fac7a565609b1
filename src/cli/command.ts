import { Command, Option } from "commander";
import { operatorScope } from "../access/operator.ts";
import type { Operator, Scope } from "../access/scope.ts";
import { Problem, problems } from "../kernel/problem.ts";
import { isRegion, type Region, regions } from "../kernel/regions.ts";
import { type Config, type Flags, readConfig, SettingRefused } from "../start/config.ts";
import { openStore } from "../start/open-store.ts";
import { StoreUnavailable } from "../store/db.ts";
import { SchemaTooNew } from "../store/migrate.ts";
import { announceChanges } from "../webhooks/announce-changes.ts";

/** A refusal on the command line: what is wrong, and what to do about it. */
export class CommandRefused extends Error {}

export interface OperatorOptions extends Flags {
  region: string;
  json?: true;
}

/** A command that works on one region's store, with or without a running server. */
export const operatorCommand = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .addOption(new Option("--region <region>", "the region").choices(regions).makeOptionMandatory())
    .option("--home <folder>", "the data folder, default ./data or SIGNALBOX_HOME")
    .option("--json", "print JSON");

/** Opens the region's store while `work` runs. */
export async function asOperator<T>(
  options: OperatorOptions,
  work: (scope: Scope<Operator>, config: Config) => Promise<T>,
): Promise<T> {
  if (!isRegion(options.region)) throw new CommandRefused(`--region must be one of ${regions.join(", ")}.`);
  const config = readConfig(process.env, { home: options.home });
  return withStore(config, options.region, (scope) => work(scope, config));
}

export async function withStore<T>(
  config: Config,
  region: Region,
  work: (scope: Scope<Operator>) => Promise<T>,
): Promise<T> {
  const store = await openStore(config, region);
  try {
    return await work(operatorScope(store, region, () => new Date(), announceChanges(null)));
  } finally {
    await store.close();
  }
}

/** A table for people, or one line of JSON for programs. */
export function print(value: Record<string, unknown>, options: { json?: true }): void {
  if (options.json) {
    console.log(JSON.stringify(value));
    return;
  }
  const width = Math.max(...Object.keys(value).map((name) => name.length));
  for (const [name, member] of Object.entries(value)) console.log(`${name.padEnd(width)}  ${shown(member)}`);
}

export function printRows(rows: Record<string, unknown>[], options: { json?: true }): void {
  if (options.json) {
    console.log(JSON.stringify({ results: rows }));
    return;
  }
  if (rows.length === 0) {
    console.log("none");
    return;
  }
  const names = Object.keys(rows[0] ?? {});
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => shown(row[name]).length)));
  const line = (cells: string[]) =>
    cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd();
  console.log(line(names));
  for (const row of rows) console.log(line(names.map((name) => shown(row[name]))));
}

const shown = (value: unknown): string => {
  if (value === null || value === undefined) return "-";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

/** Exit code 2 for what the caller can fix, 1 for everything else; the sentence goes to standard error. */
export function reportFailure(error: unknown): void {
  process.exitCode = 2;
  if (error instanceof Problem) {
    console.error(`signalbox: ${error.message} (${error.code})\n  ${problems[error.code].remedy}`);
  } else if (error instanceof SettingRefused || error instanceof CommandRefused || error instanceof SchemaTooNew) {
    console.error(`signalbox: ${error.message}`);
  } else if (error instanceof StoreUnavailable) {
    const cause = error.cause instanceof Error ? error.cause.message : String(error.cause);
    console.error(`signalbox: ${error.message} ${cause}`);
  } else {
    process.exitCode = 1;
    console.error("signalbox:", error);
  }
}
