import { Command, Option } from "commander";
import { regions } from "../../kernel/regions.ts";
import { CommandRefused } from "../exit-codes.ts";
import { printRecord } from "../terminal/print-record.ts";
import { printTable, type Row } from "../terminal/print-table.ts";
import { writeLine, writeNote } from "../terminal/terminal.ts";
import { type AllOptions, readAll, readPage } from "./all-pages.ts";
import { type Answer, type CallerOptions, callerOf } from "./caller.ts";
import type { KnownOperation } from "./operations.ts";
import { isRun, printRun, type ShownRun, setExitCodeOf } from "./show-run.ts";
import { rowsOf } from "./table-rows.ts";

/** A command that calls a running server. */
export const callingCommand = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .addOption(regionOption("the region; default: the one of the login, or us"))
    .option("--profile <name>", "the profile of `signalbox login`; default: SIGNALBOX_PROFILE, or default")
    .option("--project <id>", "the project; default: SIGNALBOX_PROJECT, or the one of the login")
    .option("--base-url <url>", "the server; default: SIGNALBOX_BASE_URL, or the one of the login")
    .option("--home <folder>", "use the first-run.json of this data folder, and no login")
    .option("--json", "print one JSON value; errors are JSON on standard error");

/** "`--region` means the same everywhere": one region of the installation. */
export const regionOption = (means: string): Option => new Option("--region <region>", means).choices(regions);

export interface ListOptions extends CallerOptions, AllOptions {
  limit?: string;
  after?: string;
  all?: true;
}

export const listingCommand = (name: string, description: string): Command =>
  callingCommand(name, description)
    .option("--limit <number>", "how many at most, 1 to 100; default 50")
    .option("--after <cursor>", "the page after this one: `next` of the page before")
    .option("--all", "print every record, as JSON Lines")
    .option("--to <file>", "with --all: write them to a file; run the command again to resume")
    .addOption(new Option("--format <format>", "with --to: default by the name of the file").choices(["jsonl", "csv"]));

/** One page as a table or as JSON, or all pages. */
export async function printList(
  options: ListOptions,
  operation: KnownOperation,
  input: Record<string, unknown> = {},
): Promise<void> {
  const caller = callerOf(options);
  const asked = {
    ...input,
    ...(options.limit === undefined ? {} : { limit: readNumber(options.limit, "--limit") }),
    ...(options.after === undefined ? {} : { after: options.after }),
  };
  if (options.all) return readAll(caller, operation, asked, options);
  if (options.to !== undefined || options.format !== undefined)
    throw new CommandRefused("--to and --format go with --all.");
  const page = await readPage(caller, operation, asked);
  if (options.json) return writeLine(JSON.stringify(page));
  printRows(operation, page.results);
  if (page.next !== null) writeNote(`There are more: --after ${page.next}, or --all.`);
}

export function printRows(operation: KnownOperation, records: readonly Row[]): void {
  if (records.length === 0) writeLine("none");
  else printTable(rowsOf(operation, records));
}

/** One answer, as JSON, as a run, or a member a line. */
export function printAnswer(options: { json?: true }, answer: Answer): void {
  if (options.json) writeLine(JSON.stringify(answer));
  else if (isRun(answer)) printRun(answer as unknown as ShownRun);
  else printRecord(answer);
}

/** The answer of a call that started or ended a run: the exit code tells how it ended. */
export function printRunAnswer(options: { json?: true }, answer: Answer): void {
  printAnswer(options, answer);
  if (typeof answer.status === "string") setExitCodeOf(answer as unknown as ShownRun);
}

export function readNumber(text: string, flag: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new CommandRefused(`${flag} takes a number, not "${text}".`);
  return value;
}

export function readJson(text: string, flag: string): Record<string, unknown> {
  const value = readAnyJson(text, flag);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new CommandRefused(`${flag} takes a JSON object, such as '{"limit":5}'.`);
}

export function readAnyJson(text: string, flag: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandRefused(`${flag} takes JSON, such as '{"limit":5}'.`);
  }
}
