import { ratioOf, type Spread, spreadOf } from "./rounds.ts";

/** One line of the result: a ratio, what it is made of, and what it should be. */
export interface Line {
  what: string;
  unit: "/s" | "µs" | "ms" | "kB" | "MB" | "";
  ours: Spread;
  peerName: string;
  peer: Spread;
  ratio: Spread;
  goal: string;
  met: boolean | null;
}

/**
 * `goal` is the least ratio, or null where the line is only there to be read. Times and memory count the other way
 * round: half the time is twice the speed.
 */
export function lineOf(
  what: string,
  unit: Line["unit"],
  ours: number[],
  peer: { name: string; figures: number[] },
  goal: number | null,
): Line {
  const ratio = unit === "/s" ? ratioOf(ours, peer.figures) : ratioOf(peer.figures, ours);
  return {
    what,
    unit,
    ours: spreadOf(ours),
    peerName: peer.name,
    peer: spreadOf(peer.figures),
    ratio,
    goal: goal === null ? "" : `at least ${goal}`,
    met: goal === null ? null : ratio.median >= goal,
  };
}

export function printTable(lines: Line[]): void {
  const rows = lines.map((line) => [
    line.what,
    figure(line.ours, line.unit),
    line.peerName,
    figure(line.peer, line.unit),
    `${short(line.ratio.median)}  (${short(line.ratio.min)} .. ${short(line.ratio.max)})`,
    line.goal,
    line.met === null ? "" : line.met ? "met" : "NOT MET",
  ]);
  const table = [["what", "ours", "beside", "theirs", "ratio (spread)", "goal", ""], ...rows];
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => (row[column] ?? "").length)));
  for (const row of table) console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
}

const figure = ({ median, min, max }: Spread, unit: string): string =>
  `${whole(median)} ${unit}  (${whole(min)} .. ${whole(max)})`;
const whole = (number: number): string =>
  number < 100 ? number.toFixed(1) : Math.round(number).toLocaleString("en-US");
const short = (number: number): string => (number < 10 ? number.toFixed(2) : number.toFixed(1));
