import { expect, test } from "vitest";
import { scheduleWords, wordsOf } from "./describe-cron.ts";
import { cronOf, timingOf } from "./timing-as-cron.ts";

test.each([
  ["0 9 * * 1-5", "Every weekday at 9:00"],
  ["30 17 * * *", "Every day at 17:30"],
  ["*/15 * * * *", "Every 15 minutes"],
  ["* * * * *", "Every minute"],
  ["0 * * * *", "Every hour"],
  ["@hourly", "Every hour"],
  ["0 */2 * * *", "Every 2 hours"],
  ["5 * * * *", "Every hour, 5 minutes past"],
  ["0 8 * * 1,4", "Every Monday and Thursday at 8:00"],
  ["0 8 * * SUN,sat", "Every Saturday and Sunday at 8:00"],
  ["0 6 1 * *", "On the 1st of the month at 6:00"],
  ["0 6 L * *", "On the last day of the month at 6:00"],
  ["0 6 1,15 1,7 *", "On the 1st and 15th of the month in January and July at 6:00"],
  ["0 6 13 * 5", "On the 13th of the month and every Friday at 6:00"],
  ["0 9,12,17 * * *", "Every day at 9:00, 12:00 and 17:00"],
  ["*/5 9-17 * * 1-5", "Every 5 minutes from 9:00 to 17:59, every weekday"],
  ["0 9-17 * * 1-5", "Every hour from 9:00 to 17:00, every weekday"],
  ["0 9 * * 1#2", null],
  ["now and then", null],
  ["0 25 * * *", null],
])("%s in words", (cron, words) => expect(wordsOf(cron)).toBe(words));

test("the place is named where it matters", () => {
  expect(scheduleWords("0 9 * * 1-5", "America/New_York")).toBe("Every weekday at 9:00, New York");
  expect(scheduleWords("*/15 * * * *", "UTC")).toBe("Every 15 minutes");
});

test.each([
  ["*/15 * * * *", "every"],
  ["* * * * *", "every"],
  ["0 * * * *", "every"],
  ["0 */6 * * *", "every"],
  ["*/7 * * * *", "cron"],
  ["5 * * * *", "cron"],
  ["0 9 * * *", "daily"],
  ["0 9 * * 1-5", "weekdays"],
  ["30 0 * * 0,3", "weekly"],
  ["0 9 L * *", "monthly"],
  ["0 9 31 * *", "monthly"],
  ["0 9 1 * 1", "cron"],
  ["0 9 * 1 *", "cron"],
  ["@daily", "cron"],
  ["0 9 * * 1-4", "cron"],
])("the builder opens %s as %s, and gives the same expression back", (cron, repeat) => {
  expect(timingOf(cron).repeat).toBe(repeat);
  expect(cronOf(timingOf(cron))).toBe(cron);
});
