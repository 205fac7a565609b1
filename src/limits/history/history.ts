import type { LimitState, Measured } from "../shown/shown-limits.ts";
import { nameIn, subjectIn } from "../state/row-keys.ts";

/** How much of one limit was used within one interval. */
export interface Sample {
  subject: string;
  name: string;
  /** The start of the interval. */
  at: string;
  peak: number;
  /** The last measure of the interval. */
  used: number;
  max: number | null;
  resetsAt: string | null;
}

export const stepSeconds = 300;
export const keptHours = 24;
const stepMilliseconds = stepSeconds * 1000;
const stepsPerHour = 3600 / stepSeconds;

/** The start of the interval that a moment belongs to. */
export const stepOf = (milliseconds: number): number => Math.floor(milliseconds / stepMilliseconds) * stepMilliseconds;

/** The use of one limit over time, and when it is used up if it goes on like that. */
export interface LimitHistory {
  /** The start of the first interval. */
  since: string;
  /** The largest use in each interval, oldest first; null before the first that is known. */
  used: (number | null)[];
  /** When nothing is left at the pace of the last hour; null where it lasts until it refills. */
  exhausted_at: string | null;
}

/** The histories of these limits, in their order. The samples carry the names of the rows, in order of time. */
export function historiesOf(
  samples: readonly Sample[],
  shown: readonly LimitState[],
  hours: number,
  now: number,
): LimitHistory[] {
  const byLimit = Map.groupBy(samples, ({ subject, name }) => `${subjectIn(subject)}\n${nameIn(name)}`);
  return shown.map((limit) => historyOf(byLimit.get(`${limit.subject}\n${limit.name}`) ?? [], limit, hours, now));
}

/** The history of one limit from its samples and its present state. */
export function historyOf(samples: readonly Sample[], present: Measured, hours: number, now: number): LimitHistory {
  const last = stepOf(now);
  const shown = hours * stepsPerHour;
  // The forecast looks back an hour, however little is shown.
  const count = shown + stepsPerHour;
  const first = last - (count - 1) * stepMilliseconds;
  const byStep = new Map(samples.map((sample) => [Date.parse(sample.at), sample]));
  let held = samples.findLast(({ at }) => Date.parse(at) < first) ?? null;
  const used: (number | null)[] = [];
  for (let at = first; at <= last; at += stepMilliseconds) {
    const sample = byStep.get(at);
    if (sample) held = sample;
    used.push(sample ? sample.peak : heldAt(held, at));
  }
  // Nothing that was used lately is missing, even before the first sample is taken.
  used[count - 1] = Math.max(used[count - 1] ?? 0, present.used);
  const since = new Date(last - (shown - 1) * stepMilliseconds).toISOString();
  return { since, used: used.slice(-shown), exhausted_at: exhaustedAt(used, present, now) };
}

/** A measure holds until the limit refills. Before the first one nothing is known. */
function heldAt(sample: Sample | null, at: number): number | null {
  if (sample === null) return null;
  return sample.resetsAt !== null && Date.parse(sample.resetsAt) > at ? sample.used : 0;
}

/**
 * Where the present pace leads. Only a limit with a period is projected: one that slides or counts calls at once refills by
 * itself within a minute.
 */
function exhaustedAt(used: readonly (number | null)[], present: Measured, now: number): string | null {
  const { kind, left, resets_at } = present;
  if ((kind !== "calendar" && kind !== "reported") || left === null || left === 0 || resets_at === null) return null;
  const pace = paceOf(used.slice(-stepsPerHour - 1, -1), present.used, now);
  if (pace <= 0) return null;
  const at = now + left / pace;
  return at < Date.parse(resets_at) ? new Date(at).toISOString() : null;
}

/** Units a millisecond, since the limit was last refilled, in the last hour at most. */
function paceOf(before: readonly (number | null)[], used: number, now: number): number {
  let steps = 0;
  let lowest = used;
  for (const value of before.toReversed()) {
    if (value === null || value > lowest) break;
    lowest = value;
    steps++;
  }
  return steps === 0 ? 0 : (used - lowest) / (now - (stepOf(now) - steps * stepMilliseconds));
}
