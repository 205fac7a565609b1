import { createHash } from "node:crypto";
import { canonicalJson } from "../../../kernel/strict-json.ts";
import { pageCaps } from "../../read-pages.ts";
import type { StepRequest } from "../../work.ts";
import { tokenEstimate } from "../limits/quota.ts";
import { estimatedDays } from "../protocol/date-ranges.ts";
import { idIn } from "../protocol/ids.ts";
import { filtersOf } from "./filters.ts";
import type { ReportInput } from "./report-fields.ts";

// A page of many columns must stay well below the maximum size of an answer.
const pageRowsMax = 10_000;
const pageCellsMax = 60_000;

export const rowsMax = (input: ReportInput): number => input.limit ?? pageCaps.items;

/** The rows of one request. Realtime reports have no offset, so all rows must come at once. */
export function pageRows(input: ReportInput): number {
  const columns = input.metrics.length + (input.dimensions?.length ?? 0) + 1;
  const fits = input.realtime ? rowsMax(input) : Math.min(pageRowsMax, Math.floor(pageCellsMax / columns));
  return Math.min(fits, rowsMax(input));
}

export function reportRequest(input: ReportInput, offset: number): StepRequest {
  const verb = input.realtime ? "runRealtimeReport" : "runReport";
  return {
    method: "POST",
    api: "data",
    path: `/v1beta/properties/${idIn(input.property_id)}:${verb}`,
    body: {
      ...oidcRequestOf(input),
      limit: pageRows(input),
      ...(offset > 0 ? { offset } : {}),
    },
    effect: "read",
    idempotent: true,
  };
}

function oidcRequestOf(input: ReportInput): Record<string, unknown> {
  const { metrics, dimensions = [], keep_empty_rows, currency_code } = input;
  const orderBys = orderOf(input);
  return {
    ...(input.realtime ? {} : { dateRanges: rangesOf(input).map(toRange) }),
    ...(dimensions.length > 0 ? { dimensions: dimensions.map((name) => ({ name })) } : {}),
    metrics: metrics.map((name) => ({ name })),
    ...filtersOf(input),
    ...(orderBys.length > 0 ? { orderBys } : {}),
    ...(keep_empty_rows === undefined ? {} : { keepEmptyRows: keep_empty_rows }),
    ...(currency_code === undefined ? {} : { currencyCode: currency_code }),
    // The system computes totals: users who came on two days are not two users, so rows must not be added up.
    metricAggregations: ["TOTAL"],
    returnPropertyQuota: true,
  };
}

export type Range = NonNullable<ReportInput["date_range"]>;

export const rangesOf = ({ date_range, date_ranges }: ReportInput): Range[] =>
  date_ranges ?? (date_range ? [date_range] : []);

const toRange = ({ start_date, end_date, name }: Range) => ({
  startDate: start_date,
  endDate: end_date,
  ...(name === undefined ? {} : { name }),
});

/** The requested order, then every dimension not in it: without a complete order, pages could overlap. */
function orderOf({ metrics, dimensions = [], order_by }: ReportInput): object[] {
  if (dimensions.length === 0) return [];
  const [firstMetric] = metrics;
  const asked = order_by ?? (firstMetric === undefined ? [] : [{ field: firstMetric, desc: true }]);
  const rest = dimensions.filter((name) => !asked.some(({ field }) => field === name)).map((field) => ({ field }));
  return [...asked, ...rest].map(({ field, ...way }) => ({
    ...(metrics.includes(field) ? { metric: { metricName: field } } : { dimension: { dimensionName: field } }),
    ...("desc" in way && way.desc ? { desc: true } : {}),
  }));
}

/** A resume token belongs to exactly this query of this property. */
export function tokenOf(input: ReportInput): string {
  const question = canonicalJson([input.property_id, input.realtime ?? false, oidcRequestOf(input)]);
  return `report ${createHash("sha256").update(question).digest("base64url").slice(0, 16)}`;
}

/** Estimated tokens of one request. */
export function reportTokens(input: ReportInput): number {
  const days = rangesOf(input).reduce((sum, range) => sum + estimatedDays(range.start_date, range.end_date), 0);
  return tokenEstimate(days, input.dimensions?.length ?? 0, input.metrics.length);
}
