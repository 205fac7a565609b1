import { isoDate, parseIsoDate } from "../events/calendar.ts";
import { invalid } from "../wire/api-error.ts";
import type { DateRange } from "./request.ts";

export interface Days {
  name: string;
  startDay: number;
  endDay: number;
}

const rangesMax = 4;
// Exclusive ends of what the vendor answers for.
const earliest = "2015-08-13";
const latest = "3000-01-01";

/** Resolves ranges to days of the property's time zone, both ends inclusive. */
export function resolveDateRanges(ranges: DateRange[], today: number): Days[] {
  if (ranges.length === 0) throw invalid("A dateRange is required.");
  const resolved = ranges.map((range, index) => resolveDateRange(range, today, index));
  if (ranges.length > rangesMax) {
    throw invalid(
      `Requests are limited to ${rangesMax} dateRanges.\n  This request contains ${ranges.length} dateRanges.`,
    );
  }
  const names = new Set(resolved.map((range) => range.name));
  if (names.size < resolved.length) throw invalid("Date range names must be unique.");
  return resolved;
}

export function resolveDateRange(range: DateRange, today: number, index: number): Days {
  const name = range.name || `date_range_${index}`;
  refuseReservedName("dateRange", range.name);
  const startDay = resolveDay("startDate", range.startDate ?? "", today);
  const endDay = resolveDay("endDate", range.endDate ?? "", today);
  refuseFarDay("start_date", startDay);
  refuseFarDay("end_date", endDay);
  if (startDay > endDay) {
    throw invalid(
      `start_date must be less than or equal to end_date. start_date = ${isoDate(startDay)} and end_date = ${isoDate(endDay)}`,
    );
  }
  return { name, startDay, endDay };
}

/** Names that the service gives itself are not for callers. */
export function refuseReservedName(what: string, name: string | undefined): void {
  if (name?.startsWith("date_range_") || name?.startsWith("RESERVED_")) {
    throw invalid(`The ${what} name ${name} is invalid. Names cannot begin with date_range_ or RESERVED_.`);
  }
}

function resolveDay(field: string, text: string, today: number): number {
  if (text === "today") return today;
  if (text === "yesterday") return today - 1;
  const daysAgo = /^(\d+)daysAgo$/.exec(text);
  if (daysAgo) return today - Number(daysAgo[1]);
  const day = parseIsoDate(text);
  if (day === null)
    throw invalid(`Invalid ${field} : ${text}. ${field} must be YYYY-MM-DD, NdaysAgo, yesterday, or today.`);
  return day;
}

function refuseFarDay(field: string, day: number): void {
  const early = parseIsoDate(earliest) ?? 0;
  const late = parseIsoDate(latest) ?? 0;
  if (day > early && day < late) return;
  const shown = Math.abs(day) < 100_000_000 ? isoDate(day) : String(day);
  throw invalid(`${field} = ${shown} must be greater than ${earliest} and less than ${latest}.`);
}
