import { isStillChanging } from "../protocol/date-ranges.ts";
import type { ReportPage } from "../protocol/report-answer.ts";
import { listOf, type Members, membersOf, numberOf, textOf } from "../protocol/vendor-json.ts";
import type { ReportInput } from "./report-fields.ts";
import { rangesOf } from "./report-request.ts";

/** What a reader should know before trusting the rows. The system reports it in fields that are easily overlooked. */
export function reportWarnings(input: ReportInput, page: ReportPage, now: Date): string[] {
  const { metadata } = page;
  return [
    ...sampling(metadata),
    ...(metadata.subjectToThresholding === true
      ? ["Rows about very few people may be missing: the system withholds them for privacy (thresholding)."]
      : []),
    ...(metadata.dataLossFromOtherRow === true
      ? ['Rare values were folded into "(other)" by the system; fewer dimensions or shorter ranges give them back.']
      : []),
    ...truncation(metadata),
    ...hiddenMetrics(metadata),
    ...(page.rowCount === 0 ? [emptyNote(metadata)] : []),
    ...(input.realtime ? [realtimeNote] : freshness(input, metadata, now)),
  ];
}

/** There is one for each range, or for each metric. */
const notesMax = 20;

const realtimeNote =
  "Realtime covers the last 30 minutes and leaves out some signals that processing adds, such as modelled users and traffic sources.";

function sampling(metadata: Members): string[] {
  const samples = listOf(metadata.samplingMetadatas).slice(0, notesMax).map(membersOf);
  if (samples.length === 0) return [];
  const sum = (name: string) => samples.reduce((total, each) => total + (numberOf(each[name]) ?? 0), 0);
  const share = (sum("samplesReadCount") / Math.max(1, sum("samplingSpaceSize"))) * 100;
  return [
    `The figures are an estimate from a sample: ${share.toFixed(share < 10 ? 1 : 0)} % of the events were read. Shorter ranges are not sampled.`,
  ];
}

function truncation(metadata: Members): string[] {
  return listOf(metadata.dataTruncationReasons)
    .slice(0, notesMax)
    .map((each) => {
      const { dataTruncationMessage, dataTruncationType } = membersOf(each);
      const why = textOf(dataTruncationMessage) || textOf(dataTruncationType) || "no reason given";
      return `The range was cut by the system: ${why}`;
    });
}

function hiddenMetrics(metadata: Members): string[] {
  const { activeMetricRestrictions } = membersOf(metadata.schemaRestrictionResponse);
  const names = listOf(activeMetricRestrictions)
    .slice(0, notesMax)
    .map((each) => textOf(membersOf(each).metricName));
  if (names.length === 0) return [];
  return [
    `Hidden from this account, and 0 in every row: ${names.join(", ")}. Its role leaves out cost or revenue data.`,
  ];
}

function emptyNote(metadata: Members): string {
  const reason = textOf(metadata.emptyReason);
  return `No data matches. This is a result, not an error.${reason === "" ? "" : ` The system's reason: ${reason}`}`;
}

function freshness(input: ReportInput, metadata: Members, now: Date): string[] {
  const timeZone = textOf(metadata.timeZone);
  const isFresh = rangesOf(input).some(({ end_date }) => isStillChanging(end_date, timeZone, now));
  return isFresh ? ["Figures of the last 48 hours still change: the system is not done with them."] : [];
}
