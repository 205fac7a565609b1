import { describe, expect, test } from "vitest";
import { findTimingMistakes, type Misfire, nextTimes, timesToStart } from "./cron-times.ts";

const berlin = (cron: string) => ({ cron, timeZone: "Europe/Berlin" });
const at = (time: string) => new Date(time);
const shown = (times: Date[]) => times.map((time) => time.toISOString().slice(0, 16));

describe("next times", () => {
  test.each([
    ["0 9 * * 1-5", "2026-11-13T10:00:00Z", ["2026-11-16T08:00", "2026-11-17T08:00"]],
    ["@daily", "2026-11-13T10:00:00Z", ["2026-11-13T23:00", "2026-11-14T23:00"]],
    ["*/20 * * * *", "2026-11-13T10:00:00Z", ["2026-11-13T10:20", "2026-11-13T10:40"]],
    ["0 0 L * *", "2026-02-01T10:00:00Z", ["2026-02-27T23:00", "2026-03-30T22:00"]],
    // The clock goes from 2 to 3: half past two comes right after the gap.
    ["30 2 * * *", "2026-03-28T12:00:00Z", ["2026-03-29T01:00", "2026-03-30T00:30"]],
    // The clock goes from 3 back to 2: half past two comes once.
    ["30 2 * * *", "2026-10-24T12:00:00Z", ["2026-10-25T00:30", "2026-10-26T01:30"]],
  ])("%s after %s", (cron, after, expected) => {
    expect(shown(nextTimes(berlin(cron), at(after), 2))).toEqual(expected);
  });
});

describe("an invalid schedule", () => {
  test.each([
    ["", "UTC", "#/cron"],
    ["every day", "UTC", "#/cron"],
    ["* * * *", "UTC", "#/cron"],
    ["* * * * * *", "UTC", "#/cron"],
    ["61 * * * *", "UTC", "#/cron"],
    ["0 0 30 2 *", "UTC", "#/cron"],
    ["2026-12-01T00:00:00", "UTC", "#/cron"],
    ["@reboot", "UTC", "#/cron"],
    ["0 9 * * *", "Mars/Base", "#/time_zone"],
    ["0 9 * * *", "\u0000", "#/time_zone"],
  ])("%s in %s", (cron, timeZone, pointer) => {
    expect(findTimingMistakes({ cron, timeZone }, at("2026-01-01T00:00:00Z")).map((each) => each.pointer)).toEqual([
      pointer,
    ]);
  });
});

describe("which times are started", () => {
  const hourly = { cron: "0 * * * *", timeZone: "UTC" };
  test.each<[Misfire, string, string, string[]]>([
    ["skip", "2026-01-01T10:00:00Z", "2026-01-01T10:00:00Z", ["2026-01-01T10:00"]],
    ["skip", "2026-01-01T10:00:00Z", "2026-01-01T10:00:04.500Z", ["2026-01-01T10:00"]],
    ["skip", "2026-01-01T10:00:00Z", "2026-01-01T10:01:01Z", []],
    ["skip", "2026-01-01T10:00:00Z", "2026-01-01T13:00:02Z", ["2026-01-01T13:00"]],
    ["once", "2026-01-01T10:00:00Z", "2026-01-01T13:30:00Z", ["2026-01-01T13:00"]],
    [
      "all",
      "2026-01-01T10:00:00Z",
      "2026-01-01T12:30:00Z",
      ["2026-01-01T10:00", "2026-01-01T11:00", "2026-01-01T12:00"],
    ],
    // A clock that was set back: nothing is started twice.
    ["all", "2026-01-01T10:00:00Z", "2026-01-01T09:30:00Z", []],
    ["once", "2026-01-01T10:00:00Z", "2026-01-01T09:59:59.900Z", []],
  ])("%s, due at %s, polled at %s", (misfire, dueAt, now, expected) => {
    expect(shown(timesToStart(hourly, misfire, at(dueAt), at(now)))).toEqual(expected);
  });

  test("after years of downtime, it catches up on the newest ten at most", () => {
    const times = timesToStart(hourly, "all", at("2020-01-01T00:00:00Z"), at("2026-01-01T12:30:00Z"));
    expect([times.length, shown(times)[0], shown(times)[9]]).toEqual([10, "2026-01-01T03:00", "2026-01-01T12:00"]);
  });
});
