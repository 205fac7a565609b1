import { dateOf, isoWeek, monthIndex, weekday, weekOfYear } from "../events/calendar.ts";
import { type Dimension, type LabelContext, pad } from "./dimension.ts";

const dayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const year = (day: number) => String(dateOf(day).getUTCFullYear());
const month = (day: number) => pad(dateOf(day).getUTCMonth() + 1, 2);
const dayOfMonth = (day: number) => pad(dateOf(day).getUTCDate(), 2);
export const compactDate = (day: number): string => year(day) + month(day) + dayOfMonth(day);
const sundayBefore = (day: number) => day - weekday(day);
const hour = (dayHour: number) => pad(dayHour % 24, 2);
const minute = (dayMinute: number) => pad(dayMinute % 60, 2);

type Label = (code: number, context: LabelContext) => string;

// name, name shown, description, label
const byDay: [string, string, string, Label][] = [
  ["date", "Date", "The day of the event, as YYYYMMDD.", compactDate],
  ["year", "Year", "The four digits of the year.", year],
  ["month", "Month", "The month, 01 to 12.", month],
  ["week", "Week", "The week of the year, 01 to 53, counted from Sundays.", (day) => pad(weekOfYear(day), 2)],
  ["day", "Day", "The day of the month, 01 to 31.", dayOfMonth],
  ["yearMonth", "Year month", "Year and month together, as YYYYMM.", (day) => year(day) + month(day)],
  ["yearWeek", "Year week", "Year and week together, as YYYYWW.", (day) => year(day) + pad(weekOfYear(day), 2)],
  ["dayOfWeek", "Day of week", "The day of the week, 0 for Sunday to 6.", (day) => String(weekday(day))],
  ["dayOfWeekName", "Day of week name", "The day of the week in English.", (day) => dayNames[weekday(day)] ?? ""],
  ["isoWeek", "ISO week of the year", "The week by ISO 8601, from Mondays.", (day) => pad(isoWeek(day).week, 2)],
  ["isoYear", "ISO year", "The year that the ISO week belongs to.", (day) => String(isoWeek(day).year)],
  [
    "isoYearIsoWeek",
    "ISO week of ISO year",
    "ISO year and ISO week together.",
    (day) => isoWeek(day).year + pad(isoWeek(day).week, 2),
  ],
  ["nthDay", "Nth day", "Days since the start of the range.", (day, { startDay }) => pad(day - startDay, 4)],
  [
    "nthWeek",
    "Nth week",
    "Weeks since the start of the range.",
    (day, { startDay }) => pad((sundayBefore(day) - sundayBefore(startDay)) / 7, 4),
  ],
  [
    "nthMonth",
    "Nth month",
    "Months since the start of the range.",
    (day, { startDay }) => pad(monthIndex(day) - monthIndex(startDay), 4),
  ],
  [
    "nthYear",
    "Nth year",
    "Years since the start of the range.",
    (day, { startDay }) => pad(Number(year(day)) - Number(year(startDay)), 4),
  ],
];

const dayField = ([apiName, uiName, description, label]: (typeof byDay)[number]): Dimension => ({
  apiName,
  uiName,
  category: "Time",
  description,
  column: "day",
  time: "day",
  label,
});

const minutes = (apiName: string, uiName: string, description: string, label: Label): Dimension => ({
  apiName,
  uiName,
  category: "Time",
  description,
  column: "dayMinute",
  time: "minute",
  label,
});

export const timeDimensions: Dimension[] = [
  ...byDay.map(dayField),
  {
    ...minutes("hour", "Hour", "The hour of the day, 00 to 23.", hour),
    column: "dayHour",
  },
  {
    ...minutes(
      "dateHour",
      "Date + hour (YYYYMMDDHH)",
      "Day and hour of the event together.",
      (code) => compactDate(Math.floor(code / 24)) + hour(code),
    ),
    column: "dayHour",
  },
  {
    ...minutes("nthHour", "Nth hour", "Hours since the start of the range.", (code, { startDay }) =>
      pad(code - startDay * 24, 4),
    ),
    column: "dayHour",
  },
  minutes("minute", "Minute", "The minute of the hour, 00 to 59.", minute),
  minutes("nthMinute", "Nth minute", "Minutes since the start of the range.", (code, { startDay }) =>
    pad(code - startDay * 1440, 4),
  ),
  minutes(
    "dateHourMinute",
    "Date hour and minute",
    "Day, hour and minute of the event together.",
    (code) => compactDate(Math.floor(code / 1440)) + pad(Math.floor((code % 1440) / 60), 2) + minute(code),
  ),
];

/** Only realtime reports know how many minutes ago something happened. */
export const minutesAgo: Dimension = minutes(
  "minutesAgo",
  "Realtime minutes ago",
  "How many minutes ago the event was collected, 00 for the running minute.",
  (code, { nowDay, nowSecond }) => pad(nowDay * 1440 + Math.floor(nowSecond / 60) - code, 2),
);

const cohortField = (apiName: string, uiName: string, description: string, label: Label): Dimension => ({
  apiName,
  uiName,
  category: "Cohort",
  description,
  column: "day",
  time: "day",
  scope: "cohort",
  label,
});

export const cohortDimensions: Dimension[] = [
  cohortField("cohort", "Cohort", "The name of the cohort in the request.", (_, { cohort }) => cohort?.name ?? ""),
  cohortField("cohortNthDay", "Daily cohort", "Days since the cohort began.", (day, { cohort }) =>
    pad(day - (cohort?.startDay ?? day), 4),
  ),
  cohortField("cohortNthWeek", "Weekly cohort", "Weeks since the cohort began.", (day, { cohort }) =>
    pad(Math.floor((day - (cohort?.startDay ?? day)) / 7), 4),
  ),
  cohortField("cohortNthMonth", "Monthly cohort", "Months since the cohort began.", (day, { cohort }) =>
    pad(monthIndex(day) - monthIndex(cohort?.startDay ?? day), 4),
  ),
];
