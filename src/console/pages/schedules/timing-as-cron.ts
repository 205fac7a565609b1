/** When a schedule is due, as the builder shows it. Each choice is a cron expression. */

export type Repeat = "every" | "daily" | "weekdays" | "weekly" | "monthly" | "cron";

export interface Timing {
  repeat: Repeat;
  /** For `every`: minutes between two times; whole hours as multiples of 60. */
  minutes: number;
  /** "09:00". */
  time: string;
  /** For `weekly`: 0 is Sunday. */
  weekdays: number[];
  /** For `monthly`: "1" to "31", or "L" for the last day. */
  day: string;
  /** For `cron`: what the person typed. */
  cron: string;
}

export const firstTiming: Timing = {
  repeat: "weekdays",
  minutes: 15,
  time: "09:00",
  weekdays: [1],
  day: "1",
  cron: "0 9 * * 1-5",
};

export const repeats: { value: Repeat; label: string }[] = [
  { value: "every", label: "Every few minutes or hours" },
  { value: "daily", label: "Every day" },
  { value: "weekdays", label: "Every weekday, Monday to Friday" },
  { value: "weekly", label: "Every week, on chosen days" },
  { value: "monthly", label: "Every month" },
  { value: "cron", label: "Own cron expression" },
];

/** Only what divides an hour or a day: with others the last pause of each would be shorter. */
export const pauses = [1, 2, 3, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720];

export function cronOf(timing: Timing): string {
  const [hour = 0, minute = 0] = timing.time.split(":").map(Number);
  switch (timing.repeat) {
    case "every":
      return timing.minutes < 60
        ? `${timing.minutes === 1 ? "*" : `*/${timing.minutes}`} * * * *`
        : `0 ${timing.minutes === 60 ? "*" : `*/${timing.minutes / 60}`} * * *`;
    case "daily":
      return `${minute} ${hour} * * *`;
    case "weekdays":
      return `${minute} ${hour} * * 1-5`;
    case "weekly":
      return `${minute} ${hour} * * ${timing.weekdays.toSorted((a, b) => a - b).join(",")}`;
    case "monthly":
      return `${minute} ${hour} ${timing.day} * *`;
    case "cron":
      return timing.cron.trim().replace(/\s+/g, " ");
  }
}

/** The builder's choice for a cron expression; one that it does not know is an expression of its own. */
export function timingOf(cron: string): Timing {
  const own: Timing = { ...firstTiming, repeat: "cron", cron };
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = cron.split(" ");
  const timed = { ...own, time: `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}` };
  const guess = (): Timing => {
    const pause = Number(/^\*\/(\d+)$/.exec(hour === "*" ? minute : hour)?.[1] ?? 1);
    if (day === "*" && weekday === "*" && !/^\d+$/.test(hour))
      return { ...own, repeat: "every", minutes: hour === "*" && minute !== "0" ? pause : pause * 60 };
    if (/^(?:\d+|L)$/.test(day)) return { ...timed, repeat: "monthly", day };
    if (weekday === "*") return { ...timed, repeat: "daily" };
    if (weekday === "1-5") return { ...timed, repeat: "weekdays" };
    return { ...timed, repeat: "weekly", weekdays: weekday.split(",").map(Number) };
  };
  const guessed = guess();
  return month === "*" && isWhole(guessed) && cronOf(guessed) === cron ? guessed : own;
}

const isWhole = ({ repeat, minutes, weekdays, time }: Timing): boolean =>
  /^\d\d:\d\d$/.test(time) &&
  (repeat !== "every" || pauses.includes(minutes)) &&
  weekdays.every((day) => day >= 0 && day <= 6);
