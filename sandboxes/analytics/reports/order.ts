import { invalid } from "../wire/api-error.ts";
import type { OrderBy, ValueRow } from "./request.ts";

/** The columns that rows have: labels by dimension name, values by metric name. */
export interface Columns {
  dimensions: string[];
  metrics: string[];
}

type Compare = (a: ValueRow, b: ValueRow) => number;

/** Earlier entries win. Without any, the first metric decides, largest first. Ties go by dimension values, to be the same each time. */
export function rowOrder(orderBys: OrderBy[], columns: Columns): Compare {
  const compares = orderBys.map((orderBy) => {
    const compare = oneOrder(orderBy, columns);
    return orderBy.desc ? (a: ValueRow, b: ValueRow) => compare(b, a) : compare;
  });
  if (compares.length === 0 && columns.metrics.length > 0) {
    compares.push((a, b) => (b.values[0] ?? 0) - (a.values[0] ?? 0));
  }
  return (a, b) => {
    for (const compare of compares) {
      const result = compare(a, b);
      if (result !== 0) return result;
    }
    return compareLabels(a.labels, b.labels);
  };
}

function oneOrder({ metric, dimension, pivot }: OrderBy, columns: Columns): Compare {
  if (metric) {
    const at = requireColumn(columns.metrics, metric.metricName ?? "");
    return (a, b) => (a.values[at] ?? 0) - (b.values[at] ?? 0);
  }
  if (dimension) {
    const at = requireColumn(columns.dimensions, dimension.dimensionName ?? "");
    const compare = textCompare(dimension.orderType);
    return (a, b) => compare(a.labels[at] ?? "", b.labels[at] ?? "");
  }
  throw invalid(
    pivot
      ? "A pivot OrderBy is only valid in a runPivotReport request."
      : "An OrderBy must have one of metric, dimension.",
  );
}

function requireColumn(names: string[], name: string): number {
  const at = names.indexOf(name);
  if (at < 0) throw invalid(`Field ${name} exists in OrderBy but is not defined in input Dimensions/Metrics list`);
  return at;
}

function textCompare(orderType: string | undefined): (a: string, b: string) => number {
  if (orderType === "NUMERIC") return compareNumbers;
  if (orderType === "CASE_INSENSITIVE_ALPHANUMERIC") return (a, b) => compareText(a.toLowerCase(), b.toLowerCase());
  return compareText;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** What is no number lies below all numbers. */
function compareNumbers(a: string, b: string): number {
  const [left, right] = [toNumber(a), toNumber(b)];
  return left === right ? 0 : left < right ? -1 : 1;
}

const toNumber = (text: string): number =>
  text.trim() === "" || Number.isNaN(Number(text)) ? Number.NEGATIVE_INFINITY : Number(text);

function compareLabels(a: string[], b: string[]): number {
  for (let at = 0; at < a.length; at++) {
    const result = compareText(a[at] ?? "", b[at] ?? "");
    if (result !== 0) return result;
  }
  return 0;
}
