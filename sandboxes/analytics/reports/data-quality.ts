import { isoDate } from "../events/calendar.ts";
import type { CoreReport } from "./core-question.ts";
import { filterFields } from "./filters.ts";
import type { CoreQuestion } from "./request.ts";

/** The `metadata` block of a report: what a reader should know before trusting its rows. Fields that say nothing are left out. */
export function responseMetadata(question: CoreQuestion, report: CoreReport): object {
  const { subject } = report.query;
  return {
    ...(isFolded(question, report) ? { dataLossFromOtherRow: true } : {}),
    ...restriction(report),
    currencyCode: question.currencyCode || subject.currencyCode,
    timeZone: subject.timeZone,
    ...(report.query.isThresholded ? { subjectToThresholding: true } : {}),
    ...sampling(report),
    ...truncation(report),
  };
}

/** True even where a filter hides the "(other)" row: the loss happened in the table behind. */
function isFolded(question: CoreQuestion, { query }: CoreReport): boolean {
  const filtered = filterFields(question.dimensionFilter).map((name) => query.asked.findDimension(name));
  return [...query.asked.dimensions, ...filtered].some(({ fields }) => fields.some((field) => field.isFolded));
}

function restriction({ query }: CoreReport): object {
  const activeMetricRestrictions = query.asked.visibleMetrics.flatMap((metric) => {
    const types = new Set(
      metric.fields.flatMap(({ restricted }) =>
        restricted && query.subject.hidden.has(restricted) ? [restricted] : [],
      ),
    );
    return types.size > 0 ? [{ metricName: metric.name, restrictedMetricTypes: [...types] }] : [];
  });
  return activeMetricRestrictions.length > 0 ? { schemaRestrictionResponse: { activeMetricRestrictions } } : {};
}

/** One entry for each date range, or none at all. */
function sampling({ slices, ranges }: CoreReport): object {
  const ofRanges = slices.slice(0, ranges.length);
  if (!ofRanges.some((slice) => slice.sampling)) return {};
  const all = (slice: (typeof slices)[number]) => slice.select(slice.startDay, slice.endDay).length;
  return {
    samplingMetadatas: ofRanges.map((slice) => ({
      samplesReadCount: String(slice.sampling?.read ?? all(slice)),
      samplingSpaceSize: String(slice.sampling?.of ?? all(slice)),
    })),
  };
}

/** Two years are kept. A range that reaches further back, of a property that is older, is cut. */
function truncation({ query, ranges }: CoreReport): object {
  const { events, openedDay } = query.subject;
  if (!events || openedDay >= events.firstDay) return {};
  const cut = ranges.filter((range) => range.startDay < events.firstDay);
  if (cut.length === 0) return {};
  return {
    dataTruncationReasons: [
      {
        dataTruncationType: "DATA_TRUNCATION_TYPE_PROPERTY",
        dataTruncationMessage: `Event data before ${isoDate(events.firstDay)} is past the property's retention and is not included.`,
        dataTruncationDate: isoDate(events.firstDay),
        dataTruncationDateRanges: cut.map((range) => ({
          startDate: isoDate(range.startDay),
          endDate: isoDate(Math.min(range.endDay, events.firstDay - 1)),
        })),
      },
    ],
  };
}
