import { pageRowsIn } from "../../read-pages.ts";
import { type Answer, type EventLoopYield, flatMapInSlices } from "../../work.ts";
import { listOf, type Members, membersOf, numberOf, textOf } from "./vendor-json.ts";

export type Row = Record<string, string | number | null>;

/** One parsed page of a report. The system omits members with default values: no rows is an empty report. */
export interface ReportPage {
  /** As they came; `toRow` reads one. */
  rows: readonly unknown[];
  toRow(row: unknown): Row;
  /** All matching rows, on all pages. */
  rowCount: number;
  totals: Row[];
  metadata: Members;
  quota: Quota;
}

export type Quota = Record<string, { consumed: number; remaining: number }>;

/** The most that a report may have: nine dimensions, ten metrics, and the range. */
const columnsMax = 20;
/** One for each range. */
const totalsMax = 20;
const quotasMax = 50;

/** The page of a report for which so many rows were asked. */
export function readReport(body: unknown, rowsMax: number): ReportPage {
  const report = membersOf(body);
  const toRow = rowReader(report);
  return {
    rows: pageRowsIn(report.rows, rowsMax),
    toRow,
    rowCount: numberOf(report.rowCount) ?? 0,
    totals: listOf(report.totals).slice(0, totalsMax).map(toRow),
    metadata: membersOf(report.metadata),
    quota: readQuota(report.propertyQuota),
  };
}

/** The rows of a page, read in slices: each costs time for each of its columns. */
export function* rowsIn({ rows, toRow }: ReportPage): Generator<EventLoopYield, Row[], Answer> {
  return yield* flatMapInSlices(rows, (row) => [toRow(row)]);
}

/** Values line up with the headers by position; metrics are numbers written as text. */
function rowReader(report: Members): (row: unknown) => Row {
  const names = (headers: unknown) =>
    listOf(headers)
      .slice(0, columnsMax)
      .map((header) => columnName(textOf(membersOf(header).name)));
  const dimensions = names(report.dimensionHeaders);
  const metrics = names(report.metricHeaders);
  const values = (cells: unknown) =>
    listOf(cells)
      .slice(0, columnsMax)
      .map((cell) => membersOf(cell).value);
  return (value) => {
    const row = membersOf(value);
    const texts = values(row.dimensionValues);
    const numbers = values(row.metricValues);
    return Object.fromEntries([
      ...dimensions.map((name, at) => [name, textOf(texts[at])] as const),
      ...metrics.map((name, at) => [name, numberOf(numbers[at])] as const),
    ]);
  };
}

/** We name the column that several ranges add; all others keep the system's names. */
const columnName = (name: string): string => (name === "dateRange" ? "date_range" : name);

function readQuota(value: unknown): Quota {
  const figures = Object.entries(membersOf(value))
    .slice(0, quotasMax)
    .map(([name, figure]) => {
      const { consumed, remaining } = membersOf(figure);
      return [toSnake(name), { consumed: numberOf(consumed) ?? 0, remaining: numberOf(remaining) ?? 0 }] as const;
    });
  return Object.fromEntries(figures);
}

const toSnake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Adds up what the pages consumed, and keeps what the last one left. */
export function addQuota(before: Quota, page: Quota): Quota {
  const added = Object.entries(page).map(([name, { consumed, remaining }]) => [
    name,
    { consumed: consumed + (before[name]?.consumed ?? 0), remaining },
  ]);
  return { ...before, ...Object.fromEntries(added) };
}

/** Figures by metric; with several ranges, by the range's name. */
export function totalsOf(totals: readonly Row[], metrics: readonly string[]): Record<string, unknown> | null {
  const figures = (row: Row) => Object.fromEntries(metrics.map((name) => [name, row[name] ?? null]));
  const [first] = totals;
  if (!first) return null;
  if (first.date_range === undefined) return figures(first);
  return Object.fromEntries(totals.map((row) => [String(row.date_range), figures(row)]));
}
