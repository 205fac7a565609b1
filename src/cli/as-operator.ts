import { existsSync } from "node:fs";
import { operatorScope } from "../access/operator.ts";
import type { Operator, Scope } from "../access/scope.ts";
import { regionOfId } from "../kernel/ids.ts";
import { isRegion, type Region, regions } from "../kernel/regions.ts";
import { isStoreMade, openStore, sqliteFile, storeName } from "../start/region/open-database.ts";
import { type Config, readConfig } from "../start/settings/config.ts";
import type { Store } from "../store/db.ts";
import { announceChanges } from "../webhooks/announce-changes.ts";
import { CommandRefused } from "./exit-codes.ts";
import type { OperatorOptions } from "./operator-command.ts";
import { printRecord } from "./terminal/print-record.ts";
import { printTable } from "./terminal/print-table.ts";
import { terminal, writeLine, writeNote } from "./terminal/terminal.ts";

export { CommandRefused } from "./exit-codes.ts";
export { type OperatorOptions, operatorCommand } from "./operator-command.ts";

/** Opens the region's store while `work` runs. */
export async function asOperator<T>(
  options: OperatorOptions,
  work: (scope: Scope<Operator>, config: Config) => Promise<T>,
  creates: "may create the store" | "needs a store" = "needs a store",
): Promise<T> {
  const config = readConfig(terminal().environment, { home: options.home });
  const region = regionOf(options, config);
  if (creates === "needs a store" || !isHomeNamed(options)) await requireStore(config, region);
  return withStore(config, region, (scope) => work(scope, config));
}

interface Naming {
  region?: string;
  connection?: string;
  user?: string;
  key?: string;
  organization?: string;
  project?: string;
}

/** "`--region` means the same everywhere": it names one region. It may be left out where there is only one, or where an id names it. */
export function regionOf(options: Naming, config: Config): Region {
  const [only, ...others] = config.regions;
  const region = options.region ?? regionInIds(options) ?? (others.length === 0 ? only : undefined);
  if (region === undefined || !isRegion(region))
    throw new CommandRefused(`Which region? Name it with --region ${regions.join("|")}.`);
  return region;
}

const regionInIds = ({ connection, user, key, organization, project }: Naming): Region | undefined =>
  [connection, user, key, organization, project].map((id) => regionOfId(id ?? "")).find((region) => region !== null) ??
  undefined;

const isHomeNamed = (options: OperatorOptions): boolean =>
  options.home !== undefined || Boolean(terminal().environment.SIGNALBOX_HOME);

/** "Commands for operators never create a store by accident": a wrong folder is refused, not filled. */
export async function requireStore(config: Config, region: Region): Promise<void> {
  if (await isStoreMade(config, region)) return;
  const where = storeName(config, region);
  throw new CommandRefused(
    `There is no store of the region ${region}: ${where}.\n  Name the right folder with --home or SIGNALBOX_HOME; \`signalbox migrate --region ${region}\` creates a store.`,
  );
}

export async function withStore<T>(
  config: Config,
  region: Region,
  work: (scope: Scope<Operator>, store: Store) => Promise<T>,
  report?: (text: string) => void,
): Promise<T> {
  const isNew = config.databaseUrls[region] === null && !existsSync(sqliteFile(config, region));
  const store = await openStore(config, region, report);
  try {
    const done = await work(
      operatorScope(store, region, () => new Date(), announceChanges(null)),
      store,
    );
    noteStore(config, region, isNew ? " (created)" : "");
    return done;
  } finally {
    await store.close();
  }
}

/** "Print which store they used." Not before a refusal: with --json, that stands alone on standard error. */
export const noteStore = (config: Config, region: Region, more = ""): void =>
  writeNote(`store: ${storeName(config, region)}${more}`);

/** A member a line for people, or one line of JSON for programs. */
export function print(value: Record<string, unknown>, options: { json?: true }): void {
  if (options.json) writeLine(JSON.stringify(value));
  else printRecord(value);
}

export function printRows(rows: Record<string, unknown>[], options: { json?: true }): void {
  if (options.json) writeLine(JSON.stringify({ results: rows, next: null }));
  else if (rows.length === 0) writeLine("none");
  else printTable(rows);
}
