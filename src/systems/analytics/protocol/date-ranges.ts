/** Dates of reports: a calendar day, or one relative to the property's today. */

export type ReportDay = { ago: number } | { day: number };

const dayMilliseconds = 86_400_000;
// A range with one fixed and one relative end depends on today; for an estimate, a year is close enough.
const unknownDays = 366;

export function readDay(text: string): ReportDay | null {
  if (text === "today") return { ago: 0 };
  if (text === "yesterday") return { ago: 1 };
  const ago = /^(\d{1,6})daysAgo$/.exec(text);
  if (ago) return { ago: Number(ago[1]) };
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const time = Date.parse(`${text}T00:00:00Z`);
  const isReal = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  return isReal ? { day: time / dayMilliseconds } : null;
}

/**
 * The number of days between two ends, both included; null if it depends on today. Less than one means that the ends
 * are swapped.
 */
export function daysBetween(start: ReportDay, end: ReportDay): number | null {
  if ("ago" in start && "ago" in end) return start.ago - end.ago + 1;
  if ("day" in start && "day" in end) return end.day - start.day + 1;
  return null;
}

export function estimatedDays(startDate: string, endDate: string): number {
  const start = readDay(startDate);
  const end = readDay(endDate);
  if (!start || !end) return 1;
  return Math.max(1, daysBetween(start, end) ?? unknownDays);
}

/** "Fully processed within 48 hours": a day that ended less than 48 hours ago is the day before yesterday, or later. */
export function isStillChanging(endDate: string, timeZone: string, now: Date): boolean {
  const end = readDay(endDate);
  if (!end) return false;
  const ago = "ago" in end ? end.ago : todayIn(timeZone, now) - end.day;
  return ago <= 2;
}

function todayIn(timeZone: string, now: Date): number {
  const instant = Temporal.Instant.fromEpochMilliseconds(now.getTime());
  const date = instant.toZonedDateTimeISO(isTimeZone(timeZone) ? timeZone : "UTC").toPlainDate();
  return Date.parse(`${date}T00:00:00Z`) / dayMilliseconds;
}

/** A name of the IANA database. The runtime also accepts offsets such as +01:00, which are none. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    // `Intl` throws for an unknown zone; that is the answer.
    return false;
  }
}
