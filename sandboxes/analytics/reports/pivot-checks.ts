import { invalid } from "../wire/api-error.ts";
import type { CoreReport } from "./core-question.ts";
import { filterFields } from "./filters.ts";
import { rowOrder } from "./order.ts";
import type { Pivot, RunPivotReportRequest } from "./request.ts";
import { limitMax } from "./run-report.ts";

export const rangeField = "dateRange";

/** What can be wrong with the pivots alone. */
export function checkPivots(pivots: Pivot[]): void {
  if (pivots.length === 0) throw invalid("A pivot report request must contain at least one pivot.");
  for (const { limit, offset = 0, fieldNames, metricAggregations } of pivots) {
    if (limit === undefined || limit === 0) throw invalid("The limit of each pivot is required.");
    if (limit < 0) throw invalid(`limit must be positive. The API received limit = ${limit}`);
    if (offset < 0) throw invalid(`offset must be positive. The API received offset = ${offset}`);
    if (!fieldNames || fieldNames.length === 0) throw invalid("The fieldNames of each pivot are required.");
    if (metricAggregations?.includes("COUNT"))
      throw invalid("Metric aggregation Count is not supported in ReportRequest.");
  }
  const product = pivots.reduce((all, { limit = 1 }) => all * limit, 1);
  if (product > limitMax) {
    throw invalid(
      `The product of the limit for each pivot must not exceed ${limitMax}. The product of this request is ${product}.`,
    );
  }
}

/** What can be wrong with the fields they name. */
export function checkFields(request: RunPivotReportRequest, { query }: CoreReport): void {
  const { dimensions, visibleMetrics, requestedMetrics: metrics } = query.asked;
  if (visibleMetrics.length === 0) throw invalid("A pivot report request must contain at least one metric.");
  const seen = new Set<string>();
  for (const name of (request.pivots ?? []).flatMap((pivot) => pivot.fieldNames ?? [])) {
    if (name !== rangeField && !dimensions.some((dimension) => dimension.name === name)) {
      throw invalid(`Field ${name} exists in a pivot but is not defined in input Dimensions list`);
    }
    if (seen.has(name)) throw invalid(`Field ${name} exists in more than one pivot.`);
    seen.add(name);
  }
  const filtered = filterFields(request.dimensionFilter);
  const unrequested =
    filtered.find((name) => !dimensions.some((dimension) => dimension.name === name)) ??
    filterFields(request.metricFilter).find((name) => !(request.metrics ?? []).some((metric) => metric.name === name));
  if (unrequested !== undefined)
    throw invalid(`Field ${unrequested} exists in a filter but is not defined in input Dimensions/Metrics list`);
  const used = new Set([
    ...filtered,
    ...(request.dimensions ?? []).flatMap(({ dimensionExpression: expression }) => [
      expression?.lowerCase?.dimensionName ?? "",
      expression?.upperCase?.dimensionName ?? "",
      ...(expression?.concatenate?.dimensionNames ?? []),
    ]),
  ]);
  const idle = dimensions.find(({ name }) => !seen.has(name) && !used.has(name));
  if (idle) throw invalid(`Dimension ${idle.name} must be in a pivot, in a filter or in an expression.`);
  for (const { orderBys = [], fieldNames = [] } of request.pivots ?? []) {
    rowOrder(
      orderBys.filter((orderBy) => !orderBy.pivot),
      { dimensions: fieldNames, metrics: metrics.map((metric) => metric.name) },
    );
  }
}
