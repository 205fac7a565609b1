import { table } from "../../../scripts/markdown.ts";
import type { Findings } from "./harness.ts";
import type { Outcome } from "./run-harnesses.ts";

/** What stands around the generated table in docs/reliability.md. */
export const tableBegin = "<!-- Written by `npm run harness -- --write`; each row is one run. -->";
export const tableEnd = "<!-- End of the harness results. -->";

const headings = [
  ...["Harness", "Store", "Cycles", "Faults", "Acknowledged", "Lost", "Doubled", "Unknown"],
  ...["Recovered after (median, longest)", "Promises", "Seed", "Commit", "Date", "Command"],
];

/** Replaces the rows of these outcomes in the text of the document, and keeps all others. */
export function withResults(document: string, outcomes: readonly Outcome[], commit: string, date: string): string {
  const [before, rest] = document.split(tableBegin);
  const [old, after] = (rest ?? "").split(tableEnd);
  if (before === undefined || old === undefined || after === undefined) {
    throw new Error("docs/reliability.md has lost the comments around the harness results.");
  }
  const rows = new Map(rowsIn(old).map((cells) => [keyOf(cells), cells]));
  for (const outcome of outcomes) {
    if (outcome.findings === null) continue;
    const cells = cellsOf(outcome, outcome.findings, commit, date);
    rows.set(keyOf(cells), cells);
  }
  const sorted = [...rows.values()].sort((a, b) => idOf(a) - idOf(b) || keyOf(a).localeCompare(keyOf(b)));
  return `${before}${tableBegin}\n\n${table(headings, sorted)}\n\n${tableEnd}${after}`;
}

/** Harness and store: a newer run of the same replaces the row. */
const keyOf = (cells: readonly string[]): string => `${cells[0]} ${cells[1]}`;
const idOf = ([name = ""]: readonly string[]): number => Number(/^H(\d+)/.exec(name)?.[1] ?? 99);

const rowsIn = (text: string): string[][] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("| H") && !line.startsWith("| Harness"))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll("\\|", "|")),
    );

const number = (count: number | null): string => (count === null ? "" : count.toLocaleString("en-US"));

function cellsOf(
  { harness, store, seed, command }: Outcome,
  findings: Findings,
  commit: string,
  date: string,
): string[] {
  const { cycles, faults, acknowledged, lost, doubled, unknown, broken, note } = findings;
  return [
    `${harness.id} ${harness.name}`,
    { sqlite: "SQLite", postgres: "PostgreSQL", both: "both" }[store],
    ...[cycles, faults, acknowledged, lost, doubled, unknown].map(number),
    recovery(findings.recoverySeconds),
    `${broken.length === 0 ? "kept" : `${broken.length} broken`}${note === undefined ? "" : `; ${note}`}`,
    ...[String(seed), commit, date, `\`${command}\``],
  ];
}

function recovery(seconds: readonly number[]): string {
  if (seconds.length === 0) return "";
  const sorted = seconds.toSorted((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  return `${median.toFixed(1)} s, ${(sorted.at(-1) ?? 0).toFixed(1)} s`;
}
