import { describe, expect, test } from "vitest";
import { resetAfter } from "./calendar.ts";

const at = (time: string): number => Date.parse(time);
const shown = (milliseconds: number): string => new Date(milliseconds).toISOString();

describe("when a quota resets", () => {
  test.each([
    ["2030-03-05T18:00:00Z", "2030-03-06T06:00:00.000Z"],
    ["2030-03-06T05:59:59.999Z", "2030-03-06T06:00:00.000Z"],
    ["2030-03-06T06:00:00Z", "2030-03-07T06:00:00.000Z"],
    // The clocks go forward on 10 March 2030: a day of 23 hours.
    ["2030-03-10T06:00:00Z", "2030-03-11T05:00:00.000Z"],
    ["2030-03-10T12:00:00Z", "2030-03-11T05:00:00.000Z"],
    // And back on 3 November: a day of 25.
    ["2030-11-03T05:00:00Z", "2030-11-04T06:00:00.000Z"],
    ["2030-11-04T05:30:00Z", "2030-11-04T06:00:00.000Z"],
  ])("a day in Chicago, seen at %s, ends at %s", (now, end) => {
    expect(shown(resetAfter({ daily: "America/Chicago" }, at(now)))).toBe(end);
  });

  test("a day in Los Angeles ends at its own midnight", () => {
    expect(shown(resetAfter({ daily: "America/Los_Angeles" }, at("2030-07-01T12:00:00Z")))).toBe(
      "2030-07-02T07:00:00.000Z",
    );
  });

  test("an hour ends with the clock's hour", () => {
    expect(shown(resetAfter("hourly", at("2030-07-01T12:59:59.999Z")))).toBe("2030-07-01T13:00:00.000Z");
    expect(shown(resetAfter("hourly", at("2030-07-01T13:00:00Z")))).toBe("2030-07-01T14:00:00.000Z");
  });
});
