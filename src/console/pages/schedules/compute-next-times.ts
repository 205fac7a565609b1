import { useEffect, useState } from "react";

/** The next times of a cron expression, while it is typed. The server computes with the same library. */

const timesShown = 5;
/** The library takes seconds and years too; a schedule does not. */
const shape = /^(?:@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)|[^\s@]+(?: [^\s@]+){4})$/;

export type NextTimes = { times: string[] } | { mistake: string };

type Library = typeof import("croner");

export function nextTimes({ Cron }: Library, cron: string, timeZone: string): NextTimes {
  if (!shape.test(cron))
    return { mistake: "Give five fields: minute, hour, day, month, weekday. For example 0 9 * * 1-5" };
  try {
    const clock = new Cron(cron, { paused: true, timezone: timeZone, mode: "5-part" });
    const times = clock.nextRuns(timesShown).map((time) => time.toISOString());
    return times.length === 0 ? { mistake: "No date matches this expression." } : { times };
  } catch (error) {
    return {
      mistake: error instanceof Error ? error.message.replace(/^CronPattern: /, "") : "This is not a cron expression.",
    };
  }
}

/** Null until the library is loaded. */
export function useNextTimes(cron: string, timeZone: string): NextTimes | null {
  const [library, setLibrary] = useState<Library | null>(null);
  useEffect(() => void import("croner").then(setLibrary), []);
  return library === null ? null : nextTimes(library, cron, timeZone);
}
