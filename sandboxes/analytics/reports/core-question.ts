import { invalid } from "../wire/api-error.ts";
import { type Asked, readAsked } from "./asked.ts";
import { coreCatalogue } from "./catalogue.ts";
import { cohortSlices } from "./cohorts.ts";
import { type ResolvedComparison, resolveComparisons } from "./comparisons.ts";
import { refuseIncompatible } from "./compatibility.ts";
import { currencyRate } from "./currency.ts";
import { type Days, resolveDateRanges } from "./dates.ts";
import type { Query } from "./filter-events.ts";
import { filterFields, foldFilter, numberTest, textTest } from "./filters.ts";
import { rollingUsers } from "./metric.ts";
import type { CoreQuestion, FilterExpression } from "./request.ts";
import { createSlice, type Slice } from "./slice.ts";
import type { Subject } from "./subject.ts";

const metricsMax = 10;
const dimensionsMax = 9;

export interface CoreReport {
  query: Query;
  slices: Slice[];
  ranges: Days[];
  /** Columns that come with comparisons and with several ranges. */
  columnsBefore: string[];
  columnsAfter: string[];
  dayCount: number;
}

/**
 * Everything that can be wrong with a question, in the vendor's order: names, paging, dates, counts, "dimensions and/or
 * metrics", then filters. What belongs to one kind of report alone is checked by that kind: `checkPaging` does it here.
 */
export function prepareCore(question: CoreQuestion, subject: Subject, checkPaging: () => void): CoreReport {
  const context = { keyEvents: subject.keyEvents };
  const asked = readAsked(question, coreCatalogue(context), context);
  checkPaging();
  const ranges = question.cohortSpec
    ? noRanges(question)
    : resolveDateRanges(question.dateRanges ?? [], subject.now.day);
  checkCounts(asked);
  checkFilters(question);
  const comparisons = resolveComparisons(question.comparisons ?? []);
  for (const { filter } of comparisons) for (const name of filterFields(filter)) asked.findDimension(name);
  refuseIncompatible(asked, filterFields(question.dimensionFilter), question.cohortSpec !== undefined);
  const query: Query = {
    subject,
    asked: question.cohortSpec ? forCohorts(question, asked) : asked,
    dimensionFilter: question.dimensionFilter ?? null,
    metricFilter: question.metricFilter ?? null,
    keepEmptyRows: question.keepEmptyRows ?? false,
    currencyRate: currencyRate(subject.currencyCode, question.currencyCode || subject.currencyCode),
    isThresholded: isThresholded(asked, question.dimensionFilter),
  };
  const single = question.cohortSpec ? cohortSlices(subject, question.cohortSpec) : rangeSlices(subject, ranges);
  const slices =
    comparisons.length === 0 ? single : comparisons.flatMap((each) => single.map((slice) => compared(slice, each)));
  return {
    query,
    slices,
    ranges,
    columnsBefore: comparisons.length > 0 ? ["comparison"] : [],
    columnsAfter: ranges.length > 1 ? ["dateRange"] : [],
    dayCount: ranges.reduce((days, range) => days + range.endDay - range.startDay + 1, 0),
  };
}

function noRanges(question: CoreQuestion): Days[] {
  if (question.dateRanges && question.dateRanges.length > 0)
    throw invalid("dateRanges must be empty when a cohortSpec is specified.");
  return [];
}

/** A cohort report names its cohort, and may count everybody active up to an offset. */
function forCohorts(question: CoreQuestion, asked: Asked): Asked {
  if (!asked.dimensions.some((dimension) => dimension.name === "cohort")) {
    throw invalid("A cohort request must include the cohort dimension.");
  }
  if (!question.cohortSpec?.cohortReportSettings?.accumulate) return asked;
  const accumulated = [rollingUsers(Number.POSITIVE_INFINITY)];
  const metrics = asked.metrics.map((metric) =>
    metric.name === "cohortActiveUsers" ? { ...metric, needs: accumulated } : metric,
  );
  return { ...asked, metrics };
}

export function checkCounts({ requestedMetrics: metrics, dimensions }: Asked): void {
  if (metrics.length > metricsMax) {
    throw invalid(
      `Requests are limited to ${metricsMax} metrics within a nested request.\n  This request is for ${metrics.length} metrics.`,
    );
  }
  if (dimensions.length > dimensionsMax) {
    throw invalid(
      `Requests are limited to ${dimensionsMax} dimensions within a nested request.\n  This request is for ${dimensions.length} dimensions.`,
    );
  }
  if (metrics.length + dimensions.length === 0) {
    throw invalid("Requests require dimensions and/or metrics. Most requests include both.");
  }
}

/** Walks both filters once, so that a bad leaf is refused even where there is no data to try it on. */
export function checkFilters(question: { dimensionFilter?: FilterExpression; metricFilter?: FilterExpression }): void {
  const nothing = { and: () => null, or: () => null, not: () => null };
  const check = (expression: FilterExpression | undefined, leaf: typeof textTest | typeof numberTest) =>
    expression &&
    foldFilter<null>(
      expression,
      (filter) => {
        leaf(filter);
        return null;
      },
      nothing,
    );
  check(question.dimensionFilter, textTest);
  check(question.metricFilter, numberTest);
}

export function isThresholded(asked: Asked, filter: FilterExpression | undefined): boolean {
  const filtered = filterFields(filter).map((name) => asked.findDimension(name));
  return [...asked.dimensions, ...filtered].some(({ fields }) => fields.some((field) => field.scope === "thresholded"));
}

const rangeSlices = (subject: Subject, ranges: Days[]): Slice[] =>
  ranges.flatMap(({ name, startDay, endDay }) => {
    const slice = createSlice(subject, startDay, endDay);
    return slice ? [{ ...slice, after: ranges.length > 1 ? [name] : [] }] : [];
  });

const compared = (slice: Slice, { name, filter }: ResolvedComparison): Slice => ({
  ...slice,
  before: [name],
  filters: [...slice.filters, filter],
});
