import { type EnumType, type MessageType, many, one, oneOf } from "./proto-json.ts";

const data = (name: string) => `google.analytics.data.v1beta.${name}`;
const message = (name: string, fields: MessageType["fields"]): MessageType => ({ messageName: data(name), fields });
const enumeration = (name: string, values: string[]): EnumType => ({ enumName: data(name), values });

const matchTypes = ["EXACT", "BEGINS_WITH", "ENDS_WITH", "CONTAINS", "FULL_REGEXP", "PARTIAL_REGEXP"];
const operations = ["EQUAL", "LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL"];
const matchType = enumeration("Filter.StringFilter.MatchType", ["MATCH_TYPE_UNSPECIFIED", ...matchTypes]);
const operation = enumeration("Filter.NumericFilter.Operation", ["OPERATION_UNSPECIFIED", ...operations]);
// The numbers 2 and 3 were never given out.
const metricAggregation = enumeration("MetricAggregation", [
  "METRIC_AGGREGATION_UNSPECIFIED",
  "TOTAL",
  "",
  "",
  "COUNT",
  "MINIMUM",
  "MAXIMUM",
]);
const orderType = enumeration("OrderBy.DimensionOrderBy.OrderType", [
  "ORDER_TYPE_UNSPECIFIED",
  "ALPHANUMERIC",
  "CASE_INSENSITIVE_ALPHANUMERIC",
  "NUMERIC",
]);
const granularity = enumeration("CohortsRange.Granularity", ["GRANULARITY_UNSPECIFIED", "DAILY", "WEEKLY", "MONTHLY"]);
const compatibility = enumeration("Compatibility", ["COMPATIBILITY_UNSPECIFIED", "COMPATIBLE", "INCOMPATIBLE"]);

const dateRange = message("DateRange", { startDate: one("string"), endDate: one("string"), name: one("string") });
const minuteRange = message("MinuteRange", {
  startMinutesAgo: one("int32"),
  endMinutesAgo: one("int32"),
  name: one("string"),
});

const caseExpression = message("DimensionExpression.CaseExpression", { dimensionName: one("string") });
const concatenateExpression = message("DimensionExpression.ConcatenateExpression", {
  dimensionNames: many("string"),
  delimiter: one("string"),
});
const dimensionExpression = message("DimensionExpression", {
  lowerCase: oneOf("one_expression", () => caseExpression),
  upperCase: oneOf("one_expression", () => caseExpression),
  concatenate: oneOf("one_expression", () => concatenateExpression),
});
const dimension = message("Dimension", { name: one("string"), dimensionExpression: one(() => dimensionExpression) });
const metric = message("Metric", { name: one("string"), expression: one("string"), invisible: one("bool") });

const numericValue = message("NumericValue", {
  int64Value: oneOf("one_value", "int64"),
  doubleValue: oneOf("one_value", "double"),
});
const stringFilter = message("Filter.StringFilter", {
  matchType: one(matchType),
  value: one("string"),
  caseSensitive: one("bool"),
});
const inListFilter = message("Filter.InListFilter", { values: many("string"), caseSensitive: one("bool") });
const numericFilter = message("Filter.NumericFilter", { operation: one(operation), value: one(() => numericValue) });
const betweenFilter = message("Filter.BetweenFilter", {
  fromValue: one(() => numericValue),
  toValue: one(() => numericValue),
});
const emptyFilter = message("Filter.EmptyFilter", {});
const filter = message("Filter", {
  fieldName: one("string"),
  stringFilter: oneOf("one_filter", () => stringFilter),
  inListFilter: oneOf("one_filter", () => inListFilter),
  numericFilter: oneOf("one_filter", () => numericFilter),
  betweenFilter: oneOf("one_filter", () => betweenFilter),
  emptyFilter: oneOf("one_filter", () => emptyFilter),
});
const filterExpression: MessageType = message("FilterExpression", {
  andGroup: oneOf("expr", () => filterExpressionList),
  orGroup: oneOf("expr", () => filterExpressionList),
  notExpression: oneOf("expr", () => filterExpression),
  filter: oneOf("expr", () => filter),
});
const filterExpressionList: MessageType = message("FilterExpressionList", {
  expressions: many(() => filterExpression),
});

const pivotSelection = message("OrderBy.PivotOrderBy.PivotSelection", {
  dimensionName: one("string"),
  dimensionValue: one("string"),
});
const orderBy = message("OrderBy", {
  desc: one("bool"),
  metric: oneOf("one_order_by", () => message("OrderBy.MetricOrderBy", { metricName: one("string") })),
  dimension: oneOf("one_order_by", () =>
    message("OrderBy.DimensionOrderBy", { dimensionName: one("string"), orderType: one(orderType) }),
  ),
  pivot: oneOf("one_order_by", () =>
    message("OrderBy.PivotOrderBy", { metricName: one("string"), pivotSelections: many(() => pivotSelection) }),
  ),
});

const cohort = message("Cohort", {
  name: one("string"),
  dimension: one("string"),
  dateRange: one(() => dateRange),
});
const cohortSpec = message("CohortSpec", {
  cohorts: many(() => cohort),
  cohortsRange: one(() =>
    message("CohortsRange", { granularity: one(granularity), startOffset: one("int32"), endOffset: one("int32") }),
  ),
  cohortReportSettings: one(() => message("CohortReportSettings", { accumulate: one("bool") })),
});
const comparison = message("Comparison", {
  name: one("string"),
  dimensionFilter: oneOf("one_comparison", () => filterExpression),
  comparison: oneOf("one_comparison", "string"),
});

const question = {
  dimensions: many(() => dimension),
  metrics: many(() => metric),
  dimensionFilter: one(() => filterExpression),
  metricFilter: one(() => filterExpression),
};
const coreQuestion = {
  property: one("string"),
  ...question,
  dateRanges: many(() => dateRange),
  currencyCode: one("string"),
  cohortSpec: one(() => cohortSpec),
  keepEmptyRows: one("bool"),
  returnPropertyQuota: one("bool"),
  comparisons: many(() => comparison),
};
const pivot = message("Pivot", {
  fieldNames: many("string"),
  orderBys: many(() => orderBy),
  offset: one("int64"),
  limit: one("int64"),
  metricAggregations: many(metricAggregation),
});

export const runReportRequest = message("RunReportRequest", {
  ...coreQuestion,
  offset: one("int64"),
  limit: one("int64"),
  metricAggregations: many(metricAggregation),
  orderBys: many(() => orderBy),
});
export const runPivotReportRequest = message("RunPivotReportRequest", { ...coreQuestion, pivots: many(() => pivot) });
export const batchRunReportsRequest = message("BatchRunReportsRequest", {
  property: one("string"),
  requests: many(() => runReportRequest),
});
export const batchRunPivotReportsRequest = message("BatchRunPivotReportsRequest", {
  property: one("string"),
  requests: many(() => runPivotReportRequest),
});
export const runRealtimeReportRequest = message("RunRealtimeReportRequest", {
  property: one("string"),
  ...question,
  limit: one("int64"),
  metricAggregations: many(metricAggregation),
  orderBys: many(() => orderBy),
  returnPropertyQuota: one("bool"),
  minuteRanges: many(() => minuteRange),
});
export const checkCompatibilityRequest = message("CheckCompatibilityRequest", {
  property: one("string"),
  ...question,
  compatibilityFilter: one(compatibility),
});
