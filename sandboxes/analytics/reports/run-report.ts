import { invalid } from "../wire/api-error.ts";
import { type CoreReport, prepareCore } from "./core-question.ts";
import { responseMetadata } from "./data-quality.ts";
import { type Evaluated, evaluateSlice } from "./evaluate.ts";
import { rowOrder } from "./order.ts";
import { createPrinter, dimensionHeaders, listed, metricHeaders } from "./print.ts";
import type { FlatQuestion, RunReportRequest, ValueRow } from "./request.ts";
import type { Subject } from "./subject.ts";

export const defaultLimit = 10_000;
export const limitMax = 250_000;

/** A report and its price; the caller charges the price and then sends the body. */
export interface MadeReport {
  body: Record<string, unknown>;
  cost: { days: number; dimensions: number; metrics: number };
  isThresholded: boolean;
  wantsQuota: boolean;
}

export function runReport(request: RunReportRequest, subject: Subject): MadeReport {
  const report = prepareCore(request, subject, () => checkPaging(request));
  const body = {
    ...flatBody(request, report),
    metadata: responseMetadata(request, report),
    kind: "analyticsData#runReport",
  };
  const { asked } = report.query;
  return {
    body,
    cost: { days: report.dayCount, dimensions: asked.dimensions.length, metrics: asked.requestedMetrics.length },
    isThresholded: report.query.isThresholded,
    wantsQuota: request.returnPropertyQuota ?? false,
  };
}

export function checkPaging({ limit = 0, offset = 0 }: FlatQuestion): void {
  if (limit < 0) throw invalid(`limit must be positive. The API received limit = ${limit}`);
  if (offset < 0) throw invalid(`offset must be positive. The API received offset = ${offset}`);
}

type FlatReport = Pick<CoreReport, "query" | "slices" | "columnsBefore" | "columnsAfter">;

/** Headers, rows, aggregates and the count: what core and realtime reports share. */
export function flatBody(
  request: FlatQuestion,
  { query, slices, columnsBefore, columnsAfter }: FlatReport,
): Record<string, unknown> {
  const { dimensions, metrics, requestedMetrics } = query.asked;
  const names = [...columnsBefore, ...dimensions.map((dimension) => dimension.name), ...columnsAfter];
  const compare = rowOrder(request.orderBys ?? [], {
    dimensions: names,
    metrics: requestedMetrics.map((metric) => metric.name),
  });
  const wanted = new Set(request.metricAggregations ?? []);
  if (wanted.has("COUNT")) throw invalid("Metric aggregation Count is not supported in ReportRequest.");
  const evaluated = slices.map((slice) => evaluateSlice(query, slice, dimensions));
  const rows = evaluated.flatMap((each) => each.rows).sort(compare);
  const offset = request.offset ?? 0;
  const limit = Math.min(request.limit || defaultLimit, limitMax);
  const print = createPrinter(metrics);
  const aggregate = (marker: string, valuesOf: (each: Evaluated) => number[] | null) =>
    evaluated.flatMap((each, at) => {
      const values = valuesOf(each);
      const slice = slices[at];
      const labels = [...(slice?.before ?? []), ...dimensions.map(() => marker), ...(slice?.after ?? [])];
      return values ? [print({ labels, values })] : [];
    });
  return {
    ...dimensionHeaders(names),
    ...metricHeaders(metrics),
    ...listed("rows", rows.slice(offset, offset + limit).map(print)),
    ...(wanted.has("TOTAL")
      ? listed(
          "totals",
          aggregate("RESERVED_TOTAL", (each) => each.total()),
        )
      : {}),
    ...(wanted.has("MAXIMUM")
      ? listed(
          "maximums",
          aggregate("RESERVED_MAX", ({ rows: own }) => extremes(own, Math.max)),
        )
      : {}),
    ...(wanted.has("MINIMUM")
      ? listed(
          "minimums",
          aggregate("RESERVED_MIN", ({ rows: own }) => extremes(own, Math.min)),
        )
      : {}),
    ...(rows.length > 0 ? { rowCount: rows.length } : {}),
  };
}

export function extremes(rows: ValueRow[], pick: (a: number, b: number) => number): number[] | null {
  const [first, ...others] = rows;
  if (!first) return null;
  return others.reduce((best, { values }) => best.map((value, at) => pick(value, values[at] ?? 0)), first.values);
}
