import { describe, expect, test } from "vitest";
import { attemptsMax, readRetryAfter, retryAt } from "./retry-times.ts";

const now = new Date("2026-11-15T09:30:00.000Z");
const secondsUntil = (moment: Date | null): number => ((moment?.getTime() ?? Number.NaN) - now.getTime()) / 1000;
const hour = 3600;

describe("when a delivery is retried", () => {
  test("after seconds at first, then later and later, and not again after ten attempts", () => {
    const pauses = Array.from({ length: attemptsMax }, (_, i) => retryAt(i + 1, now, 0.5));
    expect(attemptsMax).toBe(10);
    expect(pauses.at(-1)).toBeNull();
    const seconds = pauses.slice(0, -1).map(secondsUntil);
    expect(seconds[0]).toBe(5);
    expect([...seconds].sort((a, b) => a - b)).toEqual(seconds);
  });

  test("over about three days in all, whatever the jitter", () => {
    for (const random of [0, 0.5, 0.999]) {
      const pauses = Array.from({ length: attemptsMax - 1 }, (_, i) => secondsUntil(retryAt(i + 1, now, random)));
      const days = pauses.reduce((sum, pause) => sum + pause, 0) / (24 * hour);
      expect(days).toBeGreaterThan(2.4);
      expect(days).toBeLessThan(4);
    }
  });

  test("with jitter: it changes a pause by up to a fifth", () => {
    expect(secondsUntil(retryAt(3, now, 0))).toBe(0.8 * 1800);
    expect(secondsUntil(retryAt(3, now, 1))).toBe(1.2 * 1800);
  });

  test("not before the receiver's Retry-After, and not later than a day for that", () => {
    expect(secondsUntil(retryAt(1, now, 0.5, 600))).toBe(600);
    expect(secondsUntil(retryAt(1, now, 0.5, 10_000_000))).toBe(24 * hour);
    expect(secondsUntil(retryAt(9, now, 0.5, 1))).toBe(24 * hour);
  });

  test.each([
    ["120", 120],
    [new Date(now.getTime() + 90_000).toUTCString(), 90],
    [new Date(now.getTime() - 90_000).toUTCString(), 0],
    ["soon", 0],
    ["-5", 0],
    ["", 0],
    [undefined, 0],
  ])("reads Retry-After %s", (header, seconds) => expect(readRetryAfter(header, now)).toBe(seconds));
});
