import { Cron } from "croner";
import type { FieldError } from "../kernel/problem.ts";

/** When a schedule is due: five fields of cron, or a word such as @daily, in a time zone. */
export interface Timing {
  cron: string;
  timeZone: string;
}

/** What to do about missed times. */
export const misfirePolicies = ["skip", "once", "all"] as const;
export type Misfire = (typeof misfirePolicies)[number];

/** "all" catches up on at most this many, the newest. */
export const catchUpMax = 10;
/** A start that is at most this late counts as on time. */
const graceSeconds = 60;

// The library also accepts seconds, years and single dates; a schedule does not.
const shape = /^(?:@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)|[^\s@]+(?: [^\s@]+){4})$/;

const clockOf = ({ cron, timeZone }: Timing): Cron =>
  new Cron(cron, { paused: true, timezone: timeZone, mode: "5-part" });

/** What is wrong with it, with pointers into the body of a call. */
export function findTimingMistakes(timing: Timing, now: Date): FieldError[] {
  if (!isTimeZone(timing.timeZone)) {
    const detail = "Name a time zone of the IANA list, such as Europe/Berlin or UTC.";
    return [{ pointer: "#/time_zone", code: "unknown_time_zone", detail }];
  }
  const wrong = (detail: string): FieldError[] => [{ pointer: "#/cron", code: "invalid_cron", detail }];
  if (!shape.test(timing.cron)) return wrong("Give five fields: minute, hour, day, month, weekday. `0 9 * * 1-5`");
  try {
    return clockOf(timing).nextRun(now) === null ? wrong("This time never comes.") : [];
  } catch (error) {
    return wrong(error instanceof Error ? error.message.replace(/^CronPattern: /, "") : "This is no cron expression.");
  }
}

/** Depends on the data that came with this process: another version may know a zone that this one does not. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    // `Intl` throws for an unknown zone; that is the answer.
    return false;
  }
}

export const nextTimes = (timing: Timing, after: Date, count: number): Date[] => clockOf(timing).nextRuns(count, after);

/**
 * The times to start at now, oldest first, of a schedule that was next due at `dueAt`. At a change of clocks, a time
 * that is left out comes right after the gap, and one that comes twice counts once.
 */
export function timesToStart(timing: Timing, misfire: Misfire, dueAt: Date, now: Date): Date[] {
  // `previousRuns` excludes its reference, so that is a second later; times ahead are filtered out.
  const justAfter = new Date(now.getTime() + 1000);
  const passed = clockOf(timing)
    .previousRuns(catchUpMax + 1, justAfter)
    .filter((time) => time <= now && time >= dueAt)
    .slice(0, catchUpMax);
  const [latest] = passed;
  if (!latest) return [];
  if (misfire === "all") return passed.reverse();
  const isOnTime = now.getTime() - latest.getTime() <= graceSeconds * 1000;
  return misfire === "once" || isOnTime ? [latest] : [];
}
