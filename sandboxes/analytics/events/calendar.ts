const dayMilliseconds = 86_400_000;
const formatters = new Map<string, Intl.DateTimeFormat>();

/** A moment on the wall clock of a time zone: days since 1970-01-01 there, and the second of that day. */
export interface LocalTime {
  day: number;
  second: number;
}

export function localTime(timeZone: string, milliseconds: number): LocalTime {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat("en-CA", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    formatters.set(timeZone, formatter);
  }
  const parts: Record<string, number> = {};
  for (const { type, value } of formatter.formatToParts(milliseconds)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return { day: dayOf(year, month, day), second: hour * 3600 + minute * 60 + second };
}

export const isTimeZone = (name: string): boolean => {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
};

export const dayOf = (year: number, month: number, day: number): number =>
  Math.floor(Date.UTC(year, month - 1, day) / dayMilliseconds);

export const dateOf = (day: number): Date => new Date(day * dayMilliseconds);

/** `YYYY-MM-DD` */
export const isoDate = (day: number): string => dateOf(day).toISOString().slice(0, 10);

/** Reads `YYYY-MM-DD`, or answers null for anything that is no such day. */
export function parseIsoDate(text: string): number | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return null;
  const day = dayOf(Number(match[1]), Number(match[2]), Number(match[3]));
  return isoDate(day) === text ? day : null;
}

/** 0 is Sunday. 1970-01-01 was a Thursday. */
export const weekday = (day: number): number => (day + 4) % 7;

/** Weeks start on Sunday; week 1 holds January 1. */
export function weekOfYear(day: number): number {
  const newYear = dayOf(dateOf(day).getUTCFullYear(), 1, 1);
  return Math.floor((day - newYear + weekday(newYear)) / 7) + 1;
}

/** ISO 8601: weeks start on Monday and belong to the year of their Thursday. */
export function isoWeek(day: number): { year: number; week: number } {
  const thursday = day - ((weekday(day) + 6) % 7) + 3;
  const year = dateOf(thursday).getUTCFullYear();
  return { year, week: Math.floor((thursday - dayOf(year, 1, 1)) / 7) + 1 };
}

/** Months since year 0, for differences of months. */
export function monthIndex(day: number): number {
  const date = dateOf(day);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** 0 is January, told without a Date, because seeding asks a hundred thousand times. A day off at the seams is no matter there. */
export const monthOfYear = (day: number): number => Math.floor(((day % 365.2425) / 365.2425) * 12);
