import { type Series, seriesMax } from "../../ui/charts/series.ts";
import { dimensionText } from "./figures.ts";
import { timeDimensionOf } from "./settings.ts";

export type Row = Record<string, string | number | null>;

/** The output of a report, and where it came from. */
export interface Result {
  label: string;
  rows: Row[];
  rowCount: number;
  totals: Row;
  currency: string | undefined;
}

export function readResult(label: string, output: unknown): Result {
  const it = (output ?? {}) as { rows?: Row[]; row_count?: number; totals?: Row; currency_code?: string };
  return {
    label,
    rows: it.rows ?? [],
    rowCount: it.row_count ?? 0,
    totals: it.totals ?? {},
    currency: it.currency_code,
  };
}

export interface Drawing {
  axis: string;
  data: Record<string, unknown>[];
  series: Series[];
  isOverTime: boolean;
  /** What was left out to keep it readable. */
  note: string | null;
}

const pointsMax = 30;

/**
 * One metric of all results over one axis: time where there is one, else the first dimension. A second dimension makes a series
 * of each of its largest values, a second source likewise.
 */
export function drawingOf(results: readonly Result[], dimensions: readonly string[], metric: string): Drawing | null {
  const time = timeDimensionOf(dimensions);
  const axis = time ?? dimensions[0];
  if (axis === undefined) return null;
  const others = dimensions.filter((name) => name !== axis);
  const nameOf = ({ label }: Result, row: Row) => {
    const split = others.map((name) => dimensionText(name, row[name])).join(" · ");
    return [...(results.length > 1 ? [label] : []), ...(split === "" ? [] : [split])].join(" – ") || metric;
  };
  const sizes = new Map<string, number>();
  const points = new Map<string, { size: number; point: Record<string, unknown> }>();
  for (const result of results) {
    for (const row of result.rows) {
      const [name, key, value] = [nameOf(result, row), String(row[axis] ?? ""), Number(row[metric] ?? 0)];
      sizes.set(name, (sizes.get(name) ?? 0) + Math.abs(value));
      const known = points.get(key) ?? { size: 0, point: { [axis]: key } };
      known.size += Math.abs(value);
      known.point[`series ${name}`] = value;
      points.set(key, known);
    }
  }
  const names = [...sizes].sort(([, a], [, b]) => b - a).map(([name]) => name);
  const found = [...points];
  const ordered =
    time === undefined
      ? found.sort(([, a], [, b]) => b.size - a.size).slice(0, pointsMax)
      : found.sort(([a], [b]) => (a < b ? -1 : 1));
  // Without a split each source keeps its colour, whichever is larger.
  const shown = others.length === 0 && results.length > 1 ? results.map(({ label }) => label) : names;
  return {
    axis,
    data: ordered.map(([, { point }]) => point),
    series: shown.slice(0, seriesMax).map((name) => ({ key: `series ${name}`, label: name })),
    isOverTime: time !== undefined,
    note: noteOf(names.length, found.length, time !== undefined),
  };
}

function noteOf(series: number, points: number, isOverTime: boolean): string | null {
  const parts = [
    ...(series > seriesMax ? [`the ${seriesMax} largest of ${series} series`] : []),
    ...(!isOverTime && points > pointsMax ? [`the ${pointsMax} largest of ${points} values`] : []),
  ];
  return parts.length === 0 ? null : `The chart shows ${parts.join(" and ")}; the table has all.`;
}

export interface Column {
  key: string;
  /** The metric or dimension. */
  field: string;
  title: string;
  isMetric: boolean;
  total: unknown;
  currency: string | undefined;
}

/** All results as one table: with several sources their figures stand side by side. */
export function tableOf(
  results: readonly Result[],
  dimensions: readonly string[],
  metrics: readonly string[],
  nameOf: (field: string) => string,
): { columns: Column[]; rows: Row[] } {
  const isOne = results.length === 1;
  const columns: Column[] = [
    ...dimensions.map((field) => ({
      key: `d ${field}`,
      field,
      title: nameOf(field),
      isMetric: false,
      total: null,
      currency: undefined,
    })),
    ...metrics.flatMap((field) =>
      results.map(({ label, totals, currency }, index) => ({
        key: `m ${index} ${field}`,
        field,
        title: isOne ? nameOf(field) : `${nameOf(field)}, ${label}`,
        isMetric: true,
        total: totals[field] ?? null,
        currency,
      })),
    ),
  ];
  const merged = new Map<string, Row>();
  for (const [index, result] of results.entries()) {
    for (const row of result.rows) {
      const key = JSON.stringify(dimensions.map((name) => row[name] ?? null));
      const into = merged.get(key) ?? Object.fromEntries(dimensions.map((name) => [`d ${name}`, row[name] ?? null]));
      for (const metric of metrics) into[`m ${index} ${metric}`] = row[metric] ?? null;
      merged.set(key, into);
    }
  }
  const rows = [...merged.values()];
  const time = timeDimensionOf(dimensions);
  if (isOne || time === undefined) return { columns, rows };
  // Days that only the second source has belong between those of the first.
  return { columns, rows: rows.sort((a, b) => (String(a[`d ${time}`]) < String(b[`d ${time}`]) ? -1 : 1)) };
}
