import { invalid } from "../wire/api-error.ts";
import { readAsked } from "./asked.ts";
import { realtimeCatalogue } from "./catalogue.ts";
import { checkCounts, checkFilters, isThresholded } from "./core-question.ts";
import { refuseReservedName } from "./dates.ts";
import type { RunRealtimeReportRequest } from "./request.ts";
import { checkPaging, flatBody, type MadeReport } from "./run-report.ts";
import { createMinutesSlice } from "./slice.ts";
import type { Subject } from "./subject.ts";

const minutesMax = 29;
const rangesMax = 2;

/** The last half hour, moving with the clock. No dates, no offset, no metadata. */
export function runRealtimeReport(request: RunRealtimeReportRequest, subject: Subject): MadeReport {
  const asked = readAsked(request, realtimeCatalogue, { keyEvents: subject.keyEvents });
  checkPaging(request);
  const ranges = resolveMinuteRanges(request.minuteRanges ?? []);
  checkCounts(asked);
  checkFilters(request);
  const thresholded = isThresholded(asked, request.dimensionFilter);
  const query = {
    subject,
    asked,
    dimensionFilter: request.dimensionFilter ?? null,
    metricFilter: request.metricFilter ?? null,
    keepEmptyRows: false,
    currencyRate: 1,
    isThresholded: thresholded,
  };
  const slices = ranges.flatMap(({ name, start, end }) => {
    const slice = createMinutesSlice(subject, start, end);
    return slice ? [{ ...slice, after: ranges.length > 1 ? [name] : [] }] : [];
  });
  const columnsAfter = ranges.length > 1 ? ["dateRange"] : [];
  return {
    body: {
      ...flatBody(request, { query, slices, columnsBefore: [], columnsAfter }),
      kind: "analyticsData#runRealtimeReport",
    },
    cost: { days: 0, dimensions: asked.dimensions.length, metrics: asked.requestedMetrics.length },
    isThresholded: thresholded,
    wantsQuota: request.returnPropertyQuota ?? false,
  };
}

function resolveMinuteRanges(ranges: NonNullable<RunRealtimeReportRequest["minuteRanges"]>) {
  if (ranges.length > rangesMax) {
    throw invalid(
      `Requests are limited to ${rangesMax} minuteRanges.\n  This request contains ${ranges.length} minuteRanges.`,
    );
  }
  const given = ranges.length > 0 ? ranges : [{}];
  return given.map(({ startMinutesAgo: start = minutesMax, endMinutesAgo: end = 0, name }, index) => {
    refuseReservedName("minuteRange", name);
    if (start > minutesMax || start < 0 || end < 0) {
      throw invalid(
        `minuteRanges must be between 0 and ${minutesMax} minutes ago. startMinutesAgo = ${start} and endMinutesAgo = ${end}`,
      );
    }
    if (start < end) {
      throw invalid(
        `startMinutesAgo must be greater than or equal to endMinutesAgo. startMinutesAgo = ${start} and endMinutesAgo = ${end}`,
      );
    }
    return { name: name || `date_range_${index}`, start, end };
  });
}
