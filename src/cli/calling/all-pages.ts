import { createWriteStream, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { finished } from "node:stream/promises";
import { CommandRefused } from "../exit-codes.ts";
import type { Row } from "../terminal/print-table.ts";
import { createBar } from "../terminal/progress-bar.ts";
import { terminal, writeNote } from "../terminal/terminal.ts";
import { type Caller, notSignalbox } from "./caller.ts";
import type { KnownOperation } from "./operations.ts";

export interface Page {
  results: Row[];
  next: string | null;
}

export interface AllOptions {
  to?: string;
  format?: "jsonl" | "csv";
}

const pageSize = 100;

export async function readPage(
  caller: Caller,
  { path }: Pick<KnownOperation, "path">,
  input: Record<string, unknown>,
): Promise<Page> {
  const page = (await caller.call(path, input)) as unknown as Page;
  if (!Array.isArray(page?.results)) throw notSignalbox(caller.baseUrl, null);
  return page;
}

/** "`--all` prints JSON Lines", or writes them to a file. */
export async function readAll(
  caller: Caller,
  operation: KnownOperation,
  input: Record<string, unknown>,
  options: AllOptions,
): Promise<void> {
  const asked = { limit: pageSize, ...input };
  if (options.to !== undefined) return writeAll(caller, operation, asked, options.to, formatOf(options));
  if (formatOf(options) === "csv") throw new CommandRefused("CSV goes into a file: add --to FILE.csv.");
  let after = input.after ?? null;
  do {
    const page = await readPage(caller, operation, { ...asked, after });
    for (const record of page.results) await write(`${JSON.stringify(record)}\n`);
    after = page.next;
  } while (after !== null);
}

/** Waits while the reader of a pipe is behind. */
const write = async (text: string): Promise<void> => {
  const { stdout } = terminal();
  if (!stdout.write(text)) await new Promise<void>((resolve) => stdout.once("drain", resolve));
};

const formatOf = ({ to, format }: AllOptions): "jsonl" | "csv" => format ?? (to?.endsWith(".csv") ? "csv" : "jsonl");

/** How far a file has come: kept beside it, until it is whole. */
interface Progress {
  /** Another command must not go on with it. */
  of: string;
  after: string | null;
  records: number;
  bytes: number;
  columns: string[] | null;
}

/**
 * "Resumes after a cut": each page is written whole, and then noted with the size of the file. The next start cuts what is
 * behind that size, and goes on after the last page that was noted.
 */
async function writeAll(
  caller: Caller,
  { path }: KnownOperation,
  input: Record<string, unknown>,
  file: string,
  format: "jsonl" | "csv",
): Promise<void> {
  const noteFile = `${file}.progress`;
  const partFile = `${file}.part`;
  const of = JSON.stringify([caller.baseUrl, caller.project, path, input, format]);
  let progress = resumed(noteFile, partFile, of);
  if (progress === null && existsSync(file))
    throw new CommandRefused(`${file} is there already; name a file that is not.`);
  if (progress !== null) writeNote(`Going on after ${progress.records} records of ${file}.`);
  progress ??= { of, after: (input.after as string | undefined) ?? null, records: 0, bytes: 0, columns: null };
  // No list says how many records it has.
  const bar = createBar("reading");
  const shown = ({ records, bytes }: Progress) => `${records} records, ${sizeOf(bytes)}`;
  try {
    for (;;) {
      const page = await readPage(caller, { path }, { ...input, after: progress.after });
      const { text, columns }: Written = writtenPage(page.results, progress, format);
      await append(partFile, progress.bytes, text);
      const records: number = progress.records + page.results.length;
      progress = { of, after: page.next, records, bytes: progress.bytes + Buffer.byteLength(text), columns };
      bar.turn(shown(progress));
      if (page.next === null) break;
      writeFileSync(noteFile, JSON.stringify(progress), { mode: 0o600 });
    }
  } finally {
    bar.end();
  }
  renameSync(partFile, file);
  rmSync(noteFile, { force: true });
  writeNote(`${file}: ${shown(progress)}.`);
}

interface Written {
  text: string;
  columns: string[] | null;
}

/** The lines of one page. CSV has one set of columns: those of the first page. */
function writtenPage(records: readonly Row[], { columns: known }: Progress, format: "jsonl" | "csv"): Written {
  if (format === "jsonl")
    return { text: records.map((record) => `${JSON.stringify(record)}\n`).join(""), columns: null };
  const columns = known ?? [...new Set(records.flatMap((record) => Object.keys(record)))];
  const rows = records.map((record) => columns.map((name) => record[name]));
  return { text: [...(known ? [] : [columns]), ...rows].map((row) => `${csvLine(row)}\n`).join(""), columns };
}

function resumed(noteFile: string, partFile: string, of: string): Progress | null {
  if (!existsSync(noteFile) || !existsSync(partFile)) return null;
  const noted = JSON.parse(readFileSync(noteFile, "utf8")) as Progress;
  if (noted.of === of) return noted;
  throw new CommandRefused(
    `${partFile} belongs to another command, which was cut. Run that again, or delete ${partFile} and ${noteFile}.`,
  );
}

/** What an earlier cut left behind the noted size is overwritten. */
async function append(file: string, at: number, text: string): Promise<void> {
  const stream = createWriteStream(file, at === 0 ? { flags: "w", mode: 0o600 } : { flags: "r+", start: at });
  stream.end(text);
  await finished(stream);
}

const csvLine = (values: readonly unknown[]): string => values.map(csvValue).join(",");

function csvValue(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  // A spreadsheet would compute a text that begins like a formula (OWASP: CSV injection).
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const sizeOf = (bytes: number): string =>
  bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
