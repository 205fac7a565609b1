import { invalid } from "../wire/api-error.ts";
import { type CoreReport, prepareCore } from "./core-question.ts";
import { responseMetadata } from "./data-quality.ts";
import { evaluateSlice } from "./evaluate.ts";
import type { AskedDimension } from "./grouping.ts";
import { rowOrder } from "./order.ts";
import { checkFields, checkPivots, rangeField } from "./pivot-checks.ts";
import { createPrinter, dimensionHeaders, listed, metricHeaders } from "./print.ts";
import type { Pivot, RunPivotReportRequest, ValueRow } from "./request.ts";
import { extremes, type MadeReport } from "./run-report.ts";
import type { Slice } from "./slice.ts";
import type { Subject } from "./subject.ts";

const markers = { TOTAL: "RESERVED_TOTAL", MAXIMUM: "RESERVED_MAX", MINIMUM: "RESERVED_MIN" } as const;

/** One row for each cell that the pivots' headers span. */
export function runPivotReport(request: RunPivotReportRequest, subject: Subject): MadeReport {
  const pivots = request.pivots ?? [];
  const report = prepareCore(request, subject, () => checkPivots(pivots));
  checkFields(request, report);
  const { asked } = report.query;
  const columns = visibleColumns(report, pivots);
  const headers = pivots.map((pivot) => pivotHeader(report, pivot));
  const cells = rowsBy(report, columns).filter((row) => headers.every(({ has }) => has(row.labels, columns)));
  cells.sort((a, b) => comparePlaces(headers, columns, a, b));
  const print = createPrinter(asked.metrics);
  const aggregates = pivots.flatMap((pivot, at) => aggregateRows(report, pivot, columns, headers.toSpliced(at, 1)));
  const body = {
    ...listed(
      "pivotHeaders",
      headers.map((header) => header.print()),
    ),
    ...dimensionHeaders(columns),
    ...metricHeaders(asked.metrics),
    ...listed("rows", cells.map(print)),
    ...listed("aggregates", aggregates.map(print)),
    metadata: responseMetadata(request, report),
    kind: "analyticsData#runPivotReport",
  };
  return {
    body,
    cost: { days: report.dayCount, dimensions: asked.dimensions.length, metrics: asked.requestedMetrics.length },
    isThresholded: report.query.isThresholded,
    wantsQuota: request.returnPropertyQuota ?? false,
  };
}

/** Dimensions outside every pivot only filter; several ranges have a column even where no pivot names it. */
function visibleColumns({ query, columnsBefore, columnsAfter }: CoreReport, pivots: Pivot[]): string[] {
  const inPivots = new Set(pivots.flatMap((pivot) => pivot.fieldNames ?? []));
  const dimensions = query.asked.dimensions.map((dimension) => dimension.name).filter((name) => inPivots.has(name));
  return [...columnsBefore, ...dimensions, ...columnsAfter];
}

/** Rows by some columns, computed over the data anew, so that users are counted once however the columns are folded. */
function rowsBy(report: CoreReport, columns: string[]): ValueRow[] {
  const { query, columnsBefore, columnsAfter } = report;
  const dimensions = columns.flatMap((name): AskedDimension[] =>
    query.asked.dimensions.filter((dimension) => dimension.name === name),
  );
  const isFolded = columnsAfter.length > 0 && !columns.includes(rangeField);
  const slices = isFolded ? foldRanges(report.slices) : report.slices;
  const own = [...columnsBefore, ...dimensions.map((dimension) => dimension.name), ...(isFolded ? [] : columnsAfter)];
  const order = columns.map((name) => own.indexOf(name));
  return slices.flatMap((slice) =>
    evaluateSlice(query, slice, dimensions).rows.map(({ labels, values }) => ({
      labels: order.map((at) => labels[at] ?? ""),
      values,
    })),
  );
}

/** Several ranges as one, a day in two of them counted once. */
function foldRanges(slices: Slice[]): Slice[] {
  const byComparison = Map.groupBy(slices, (slice) => slice.before.join("\0"));
  return [...byComparison.values()].flatMap((group) => {
    const [first, ...others] = group;
    if (!first) return [];
    const all = [first, ...others].map((slice) => slice.select(slice.startDay, slice.endDay));
    const events = Uint32Array.from(new Set(all.flatMap((each) => [...each]))).sort();
    return [{ ...first, after: [], endDay: Math.max(...group.map((slice) => slice.endDay)), select: () => events }];
  });
}

function pivotHeader(report: CoreReport, pivot: Pivot) {
  const fields = pivot.fieldNames ?? [];
  const rows = rowsBy(report, [...report.columnsBefore, ...fields]).map((row) => ({
    ...row,
    labels: row.labels.slice(report.columnsBefore.length),
  }));
  const unique = [...new Map(rows.map((row) => [row.labels.join("\0"), row])).values()];
  unique.sort(headerOrder(report, pivot));
  const offset = pivot.offset ?? 0;
  const kept = unique.slice(offset, offset + (pivot.limit ?? 0));
  const indexes = new Map(kept.map((row, at) => [row.labels.join("\0"), at]));
  const position = (labels: string[], columns: string[]) =>
    indexes.get(fields.map((name) => labels[columns.indexOf(name)] ?? "").join("\0"));
  const aggregated = aggregations(pivot).map((kind) => fields.map(() => markers[kind]));
  const headers = [...kept.map((row) => row.labels), ...aggregated].map((labels) => ({
    dimensionValues: labels.map((value) => ({ value })),
  }));
  return {
    has: (labels: string[], columns: string[]) => position(labels, columns) !== undefined,
    position: (labels: string[], columns: string[]) => position(labels, columns) ?? Number.MAX_SAFE_INTEGER,
    print: () => ({
      ...listed("pivotDimensionHeaders", headers),
      ...(unique.length > 0 ? { rowCount: unique.length } : {}),
    }),
  };
}

type Header = ReturnType<typeof pivotHeader>;

/** By a metric or a dimension of the pivot, or by a metric at chosen values of the others. */
function headerOrder(report: CoreReport, pivot: Pivot): (a: ValueRow, b: ValueRow) => number {
  const fields = pivot.fieldNames ?? [];
  const metrics = report.query.asked.requestedMetrics.map((metric) => metric.name);
  const extra: Map<string, number>[] = [];
  const orderBys = (pivot.orderBys ?? []).map((orderBy) => {
    if (!orderBy.pivot) return orderBy;
    const { metricName = "", pivotSelections = [] } = orderBy.pivot;
    const at = metrics.indexOf(metricName);
    if (at < 0)
      throw invalid(`Field ${metricName} exists in OrderBy but is not defined in input Dimensions/Metrics list`);
    const selected = pivotSelections.map((selection) => selection.dimensionName ?? "");
    const rows = rowsBy(report, [...fields, ...selected]).filter(({ labels }) =>
      pivotSelections.every(({ dimensionValue = "" }, index) => labels[fields.length + index] === dimensionValue),
    );
    extra.push(new Map(rows.map((row) => [row.labels.slice(0, fields.length).join("\0"), row.values[at] ?? 0])));
    return { desc: orderBy.desc ?? false, metric: { metricName: `\0${extra.length - 1}` } };
  });
  const compare = rowOrder(orderBys, { dimensions: fields, metrics: [...metrics, ...extra.map((_, at) => `\0${at}`)] });
  const widened = (row: ValueRow): ValueRow =>
    extra.length === 0
      ? row
      : {
          ...row,
          values: [...row.values.slice(0, metrics.length), ...extra.map((map) => map.get(row.labels.join("\0")) ?? 0)],
        };
  return (a, b) => compare(widened(a), widened(b));
}

const aggregations = (pivot: Pivot): (keyof typeof markers)[] =>
  (Object.keys(markers) as (keyof typeof markers)[]).filter((kind) => pivot.metricAggregations?.includes(kind));

/** The pivot's own columns folded into one marker, beside each value that the other pivots keep. */
function aggregateRows(report: CoreReport, pivot: Pivot, columns: string[], others: Header[]): ValueRow[] {
  const fields = new Set(pivot.fieldNames ?? []);
  const rest = columns.filter((name) => !fields.has(name));
  const widen = (labels: string[], marker: string) => {
    let next = 0;
    return columns.map((name) => (fields.has(name) ? marker : (labels[next++] ?? "")));
  };
  return aggregations(pivot).flatMap((kind) => {
    const rows =
      kind === "TOTAL"
        ? rowsBy(report, rest)
        : extremeRows(report, columns, rest, kind === "MAXIMUM" ? Math.max : Math.min);
    return rows
      .map((row) => ({ labels: widen(row.labels, markers[kind]), values: row.values }))
      .filter((row) => others.every(({ has }) => has(row.labels, columns)))
      .sort((a, b) => comparePlaces(others, columns, a, b));
  });
}

function extremeRows(
  report: CoreReport,
  columns: string[],
  rest: string[],
  pick: (a: number, b: number) => number,
): ValueRow[] {
  const at = rest.map((name) => columns.indexOf(name));
  const groups = Map.groupBy(rowsBy(report, columns), (row) => at.map((index) => row.labels[index] ?? "").join("\0"));
  return [...groups.values()].map((rows) => ({
    labels: at.map((index) => rows[0]?.labels[index] ?? ""),
    values: extremes(rows, pick) ?? [],
  }));
}

/** The first pivot's order orders the rows, then the second's. */
function comparePlaces(headers: Header[], columns: string[], a: ValueRow, b: ValueRow): number {
  for (const { position } of headers) {
    const difference = position(a.labels, columns) - position(b.labels, columns);
    if (difference !== 0) return difference;
  }
  return 0;
}
