import { cleanText, fitText, shownOnOneLine, widthOfText, wrapText } from "./fit-text.ts";
import { colourOfState } from "./print-table.ts";
import { coloured, terminal, widthOf, writeLine } from "./terminal.ts";

const linesMax = 40;

/** One record, a member a line. A member that does not fit on its line follows indented; a terminal shows its first lines. */
export function printRecord(record: Record<string, unknown>): void {
  const names = Object.keys(record);
  const width = Math.max(0, ...names.map((name) => name.length));
  const room = (widthOf(terminal().stdout) ?? Number.POSITIVE_INFINITY) - width - 2;
  for (const name of names) {
    const text = shownOnOneLine(record[name]);
    if (isOneValue(record[name]) || widthOfText(text) <= room) {
      const [first = "", ...more] = wrapText(text, room);
      // A long word, such as an address, gets a line of its own, so that people can copy it.
      if (more.length === 0 && widthOfText(first) > room) {
        writeLine(name);
        writeLine(`  ${first}`);
        continue;
      }
      writeLine(`${name.padEnd(width)}  ${coloured(first, colourOfState(name, text))}`);
      for (const line of more) writeLine(`${" ".repeat(width)}  ${line}`);
    } else {
      writeLine(name);
      printIndented(record[name]);
    }
  }
}

const isOneValue = (value: unknown): boolean =>
  typeof value !== "object" ||
  value === null ||
  (Array.isArray(value) && value.every((each) => typeof each !== "object"));

export function printIndented(value: unknown): void {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  const lines = text.split("\n").map(cleanText);
  const shown = terminal().stdout.isTTY ? lines.slice(0, linesMax) : lines;
  const room = (widthOf(terminal().stdout) ?? Number.POSITIVE_INFINITY) - 2;
  for (const line of shown) writeLine(`  ${fitText(line, room)}`);
  if (lines.length > shown.length) writeLine(`  … ${lines.length - shown.length} more lines; --json prints all`);
}
