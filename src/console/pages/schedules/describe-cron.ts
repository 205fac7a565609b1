/** A cron expression in words: "Every weekday at 9:00". Null where words would say less than the expression. */
export function wordsOf(cron: string): string | null {
  const fields = (named[cron] ?? cron).trim().split(/\s+/);
  if (fields.length !== 5) return null;
  const [minutes, hours, days, months, weekdays] = fields.map((text, index) => readField(text, index)) as Field[];
  if (!minutes || !hours || !days || !months || !weekdays) return null;
  const time = timeWords(minutes, hours);
  if (time === null) return null;
  const day = dayWords(days, weekdays);
  const inMonths = months.isAll ? "" : ` in ${list(months.values.map((month) => monthNames[month - 1] ?? ""))}`;
  const whole = time.startsWith("at ")
    ? `${day ?? "every day"}${inMonths} ${time}`
    : `${time}${day === null ? "" : `, ${day}`}${inMonths}`;
  return whole.charAt(0).toUpperCase() + whole.slice(1);
}

/** "Every weekday at 9:00, Berlin". */
export function scheduleWords(cron: string, timeZone: string): string {
  const words = wordsOf(cron) ?? `By the expression ${cron}`;
  return /^Every (?:\d+ )?(?:minute|hour)s?$/.test(words) ? words : `${words}, ${cityOf(timeZone)}`;
}

/** The last part of a time zone's name, for people: "New York". */
export const cityOf = (timeZone: string): string => timeZone.split("/").at(-1)?.replaceAll("_", " ") ?? timeZone;

const named: Record<string, string> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

const weekdayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
export const monthNames = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

interface Field {
  isAll: boolean;
  /** "every 5th": from the first possible value on. */
  by: number | null;
  values: number[];
  isLastDay?: boolean;
}

/** Minute, hour, day, month, weekday: the smallest and the largest value of each. */
const bounds: [number, number][] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
];

/** Null for what words cannot say. */
function readField(text: string, index: number): Field | null {
  const [low, high] = bounds[index] ?? [0, 0];
  if (text === "*" || text === "?") return { isAll: true, by: null, values: [] };
  if (index === 2 && text === "L") return { isAll: false, by: null, values: [], isLastDay: true };
  const step = /^\*\/(\d+)$/.exec(text);
  const parts = text.split(",").map((part) => readPart(part, index, low, high));
  if (parts.includes(null)) return null;
  const values = parts.flatMap((part) => part ?? []).map((value) => (index === 4 ? value % 7 : value));
  return {
    isAll: false,
    by: step ? Number(step[1]) : null,
    values: [...new Set(values)].sort((a, b) => a - b),
  };
}

function readPart(part: string, index: number, low: number, high: number): number[] | null {
  const [, first, last, by] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(part) ?? [];
  if (first === undefined) return null;
  const from = first === "*" ? low : numberOf(first, index);
  const to = last === undefined ? (first === "*" ? (index === 4 ? 6 : high) : from) : numberOf(last, index);
  const size = by === undefined ? 1 : Number(by);
  const isInside = from >= low && to <= high && from <= to && size > 0;
  // 5/10 has another meaning in each cron.
  if (!isInside || (by !== undefined && last === undefined && first !== "*")) return null;
  return Array.from({ length: Math.floor((to - from) / size) + 1 }, (_, number) => from + number * size);
}

function numberOf(text: string, index: number): number {
  if (/^\d+$/.test(text)) return Number(text);
  const names = index === 3 ? monthNames : index === 4 ? weekdayNames : [];
  const found = names.findIndex((name) => name.slice(0, 3).toLowerCase() === text.toLowerCase());
  return found < 0 ? Number.NaN : found + (index === 3 ? 1 : 0);
}

const clock = (hour: number, minute: number): string => `${hour}:${String(minute).padStart(2, "0")}`;
const isRun = (values: number[]): boolean =>
  values.every((value, at) => at === 0 || value === (values[at - 1] ?? 0) + 1);

function timeWords(minutes: Field, hours: Field): string | null {
  const often = minutes.isAll ? "every minute" : minutes.by === null ? null : plural(minutes.by, "minute");
  if (hours.isAll) return often ?? past(minutes.values, "every hour");
  if (often !== null) return isRun(hours.values) ? `${often} ${between(hours.values)}` : null;
  if (hours.by !== null) return past(minutes.values, plural(hours.by, "hour"));
  if (hours.values.length > 3 && isRun(hours.values) && minutes.values.length === 1) {
    const [minute = 0] = minutes.values;
    return `every hour from ${clock(hours.values[0] ?? 0, minute)} to ${clock(hours.values.at(-1) ?? 0, minute)}`;
  }
  const times = hours.values.flatMap((hour) => minutes.values.map((minute) => clock(hour, minute)));
  return times.length > 12 ? null : `at ${list(times)}`;
}

const plural = (count: number, unit: string): string => (count === 1 ? `every ${unit}` : `every ${count} ${unit}s`);
const past = (minutes: number[], often: string): string =>
  minutes.length === 1 && minutes[0] === 0
    ? often
    : `${often}, ${list(minutes.map(String))} ${minutes.join() === "1" ? "minute" : "minutes"} past`;
const between = (hours: number[]): string => `from ${clock(hours[0] ?? 0, 0)} to ${clock(hours.at(-1) ?? 0, 59)}`;

/** Null: every day. */
function dayWords(days: Field, weekdays: Field): string | null {
  const ofMonth = days.isAll
    ? null
    : `on the ${days.isLastDay ? "last day" : list(days.values.map(ordinal))} of the month`;
  const ofWeek = weekdays.isAll ? null : weekdayWords(weekdays.values);
  // Cron starts when either of the two fits.
  return ofMonth !== null && ofWeek !== null ? `${ofMonth} and ${ofWeek}` : (ofMonth ?? ofWeek);
}

function weekdayWords(values: number[]): string {
  if (values.join() === "1,2,3,4,5") return "every weekday";
  if (values.length === 7) return "every day";
  const mondayFirst = values.toSorted((a, b) => ((a + 6) % 7) - ((b + 6) % 7));
  return `every ${list(mondayFirst.map((day) => weekdayNames[day] ?? ""))}`;
}

const endings = new Intl.PluralRules("en", { type: "ordinal" });
const ordinal = (day: number): string =>
  `${day}${({ one: "st", two: "nd", few: "rd" } as Record<string, string>)[endings.select(day)] ?? "th"}`;

const lists = new Intl.ListFormat("en", { type: "conjunction" });
const list = (parts: string[]): string => lists.format(parts).replace(/, and /, " and ");
