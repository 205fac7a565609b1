import { fitText, padText, shownOnOneLine, widthOfText } from "./fit-text.ts";
import { type Colour, coloured, terminal, widthOf, writeLine } from "./terminal.ts";

export type Row = Record<string, unknown>;

const gap = 2;
/** Wide enough for a state or a time: these are shown whole, or not at all. */
const narrowest = 16;

/** A table for people. In a terminal it fits the width: long columns are cut, and the last ones left out where nothing else helps. */
export function printTable(rows: readonly Row[]): void {
  const all = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => new Map(all.map((name) => [name, shownOnOneLine(row[name])])));
  const natural = new Map(
    all.map((name) => [name, Math.max(name.length, ...cells.map((row) => widthOfText(row.get(name) ?? "")))]),
  );
  const widths = fitColumns(natural, widthOf(terminal().stdout));
  const line = (textOf: (name: string) => string, colourOf: (name: string) => Colour | null) =>
    [...widths]
      .map(([name, width], index) => {
        const text = fitText(textOf(name), width);
        return coloured(index === widths.size - 1 ? text : padText(text, width), colourOf(name));
      })
      .join(" ".repeat(gap))
      .trimEnd();
  writeLine(
    line(
      (name) => name,
      () => "dim",
    ),
  );
  for (const row of cells) {
    writeLine(
      line(
        (name) => row.get(name) ?? "",
        (name) => colourOfState(name, row.get(name) ?? ""),
      ),
    );
  }
}

/** The widths of the columns that fit. The first column is what people copy, so it is never cut. */
export function fitColumns(natural: ReadonlyMap<string, number>, width: number | null): Map<string, number> {
  const widths = new Map(natural);
  if (width === null) return widths;
  const [first = ""] = widths.keys();
  while (totalOf(widths) > width && widths.size > 1) {
    const [longest = "", length = 0] =
      [...widths].filter(([name]) => name !== first).sort(([, a], [, b]) => b - a)[0] ?? [];
    if (length > narrowest) widths.set(longest, Math.max(narrowest, length - (totalOf(widths) - width)));
    else widths.delete([...widths.keys()].at(-1) ?? "");
  }
  regrow(widths, natural, width, first);
  return widths;
}

const totalOf = (widths: ReadonlyMap<string, number>): number =>
  [...widths.values()].reduce((sum, each) => sum + each + gap, -gap);

/** A column that was left out gives its room to those that were cut. */
function regrow(widths: Map<string, number>, natural: ReadonlyMap<string, number>, width: number, first: string): void {
  for (const name of widths.keys()) {
    if (name === first) continue;
    const used = totalOf(widths);
    const wanted = (natural.get(name) ?? 0) - (widths.get(name) ?? 0);
    if (used < width) widths.set(name, (widths.get(name) ?? 0) + Math.min(wanted, width - used));
  }
}

const states: Record<string, Colour> = {
  succeeded: "green",
  connected: "green",
  delivered: "green",
  failed: "red",
  needs_reconnect: "red",
  waiting: "yellow",
  outcome_unknown: "yellow",
  cancelled: "dim",
  removed: "dim",
  skipped: "dim",
};

export const colourOfState = (name: string, value: string): Colour | null =>
  name === "status" || name === "state" ? (states[value] ?? null) : null;
