import { type Colour, coloured, terminal, widthOf, writeLine } from "./terminal.ts";
import { fitText, padText, shownOnOneLine, widthOfText } from "./text.ts";

export type Row = Record<string, unknown>;

const gap = 2;
const narrowest = 6;

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
  const total = () => [...widths.values()].reduce((sum, each) => sum + each + gap, -gap);
  const [first] = widths.keys();
  while (total() > width) {
    const [longest, length] = [...widths]
      .filter(([name]) => name !== first)
      .reduce<[string, number]>((most, each) => (each[1] > most[1] ? each : most), ["", narrowest]);
    if (length > narrowest) widths.set(longest, Math.max(narrowest, length - (total() - width)));
    else if (widths.size > 1) widths.delete([...widths.keys()].at(-1) ?? "");
    else break;
    if (widths.size > 1 && length <= narrowest) regrow(widths, natural, width, first ?? "");
  }
  return widths;
}

/** A column that was left out gives its room to those that were cut. */
function regrow(widths: Map<string, number>, natural: ReadonlyMap<string, number>, width: number, first: string): void {
  for (const name of widths.keys()) {
    if (name === first) continue;
    const used = [...widths.values()].reduce((sum, each) => sum + each + gap, -gap);
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
