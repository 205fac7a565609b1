import { dateOf, dayOf } from "../events/calendar.ts";
import { usersPerDayMax } from "../events/event-set.ts";
import { invalid } from "../wire/api-error.ts";
import { resolveDateRange } from "./dates.ts";
import type { CohortSpec } from "./request.ts";
import { createSlice, type Slice } from "./slice.ts";
import type { Subject } from "./subject.ts";

const cohortsMax = 12;

/** One slice for each cohort: the visits of people whose first session fell into its days, at the offsets asked for. */
export function cohortSlices(subject: Subject, spec: CohortSpec): Slice[] {
  const cohorts = spec.cohorts ?? [];
  const { granularity, startOffset = 0, endOffset } = spec.cohortsRange ?? {};
  if (cohorts.length === 0) throw invalid("A cohortSpec must contain at least one cohort.");
  if (cohorts.length > cohortsMax) throw invalid(`Requests are limited to ${cohortsMax} cohorts.`);
  if (!granularity || granularity === "GRANULARITY_UNSPECIFIED")
    throw invalid("The granularity of the cohortsRange is required.");
  if (endOffset === undefined) throw invalid("The endOffset of the cohortsRange is required.");
  if (startOffset < 0 || endOffset < startOffset)
    throw invalid("The endOffset must be greater than or equal to the startOffset.");
  return cohorts.flatMap((cohort, index) => {
    if (cohort.dimension !== "firstSessionDate") throw invalid("The dimension of a cohort must be firstSessionDate.");
    const name = cohort.name || `cohort_${index}`;
    if (cohort.name?.startsWith("cohort_") || cohort.name?.startsWith("RESERVED_")) {
      throw invalid(`The cohort name ${name} is invalid. Names cannot begin with cohort_ or RESERVED_.`);
    }
    const { startDay, endDay } = resolveDateRange(cohort.dateRange ?? {}, subject.now.day, 0);
    const from = unitStart(startDay, granularity, startOffset);
    const to = unitStart(startDay, granularity, endOffset + 1) - 1;
    return cohortSlice(subject, { name, firstDay: startDay, lastDay: endDay }, { from, to });
  });
}

// Beyond all data, and still a date.
const offsetMax = 10_000;

function unitStart(day: number, granularity: string, wanted: number): number {
  const offset = Math.min(wanted, offsetMax);
  if (granularity === "DAILY") return day + offset;
  if (granularity === "WEEKLY") return day + offset * 7;
  const date = dateOf(day);
  return offset === 0 ? day : dayOf(date.getUTCFullYear(), date.getUTCMonth() + 1 + offset, 1);
}

function cohortSlice(
  subject: Subject,
  { name, firstDay, lastDay }: { name: string; firstDay: number; lastDay: number },
  { from, to }: { from: number; to: number },
): Slice[] {
  const set = subject.events;
  if (!set) return [];
  const { user } = set.sessions;
  const isMember = (event: number) => {
    const userDay = set.userDayZero + Math.floor((user[set.events.session[event] ?? 0] ?? 0) / usersPerDayMax);
    return userDay >= firstDay && userDay <= lastDay;
  };
  const slice = createSlice(subject, from, to, isMember);
  if (!slice) return [];
  // Everybody has a first visit on the first day, so those days hold every member.
  const members = new Set<number>();
  for (const event of slice.select(firstDay, lastDay)) members.add(user[set.events.session[event] ?? 0] ?? 0);
  slice.cohortSize = members.size;
  slice.context = { ...slice.context, cohort: { name, startDay: firstDay } };
  return [slice];
}
