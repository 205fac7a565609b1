/** Report requests as they are after the proto3 JSON reader: names in camelCase, numbers as numbers, enums as names. */
export interface NumericValue {
  int64Value?: number;
  doubleValue?: number;
}

export interface Filter {
  fieldName?: string;
  stringFilter?: { matchType?: string; value?: string; caseSensitive?: boolean };
  inListFilter?: { values?: string[]; caseSensitive?: boolean };
  numericFilter?: { operation?: string; value?: NumericValue };
  betweenFilter?: { fromValue?: NumericValue; toValue?: NumericValue };
  emptyFilter?: object;
}

export interface FilterExpression {
  andGroup?: { expressions?: FilterExpression[] };
  orGroup?: { expressions?: FilterExpression[] };
  notExpression?: FilterExpression;
  filter?: Filter;
}

export interface DimensionExpression {
  lowerCase?: { dimensionName?: string };
  upperCase?: { dimensionName?: string };
  concatenate?: { dimensionNames?: string[]; delimiter?: string };
}

export interface DimensionWish {
  name?: string;
  dimensionExpression?: DimensionExpression;
}

export interface MetricWish {
  name?: string;
  expression?: string;
  invisible?: boolean;
}

export interface DateRange {
  startDate?: string;
  endDate?: string;
  name?: string;
}

export interface OrderBy {
  desc?: boolean;
  metric?: { metricName?: string };
  dimension?: { dimensionName?: string; orderType?: string };
  pivot?: { metricName?: string; pivotSelections?: { dimensionName?: string; dimensionValue?: string }[] };
}

export interface CohortSpec {
  cohorts?: { name?: string; dimension?: string; dateRange?: DateRange }[];
  cohortsRange?: { granularity?: string; startOffset?: number; endOffset?: number };
  cohortReportSettings?: { accumulate?: boolean };
}

export interface Comparison {
  name?: string;
  dimensionFilter?: FilterExpression;
  comparison?: string;
}

/** What every kind of report has. */
export interface Question {
  dimensions?: DimensionWish[];
  metrics?: MetricWish[];
  dimensionFilter?: FilterExpression;
  metricFilter?: FilterExpression;
  returnPropertyQuota?: boolean;
}

export interface CoreQuestion extends Question {
  property?: string;
  dateRanges?: DateRange[];
  currencyCode?: string;
  cohortSpec?: CohortSpec;
  keepEmptyRows?: boolean;
  comparisons?: Comparison[];
}

export interface FlatQuestion extends Question {
  limit?: number;
  offset?: number;
  orderBys?: OrderBy[];
  metricAggregations?: string[];
}

export type RunReportRequest = CoreQuestion & FlatQuestion;

export interface Pivot {
  fieldNames?: string[];
  orderBys?: OrderBy[];
  offset?: number;
  limit?: number;
  metricAggregations?: string[];
}

export type RunPivotReportRequest = CoreQuestion & { pivots?: Pivot[] };

export type RunRealtimeReportRequest = FlatQuestion & {
  minuteRanges?: { startMinutesAgo?: number; endMinutesAgo?: number; name?: string }[];
};

export type CheckCompatibilityRequest = Question & { compatibilityFilter?: string };

/** A row before it is printed. */
export interface ValueRow {
  labels: string[];
  values: number[];
}
