import { expect, test } from "vitest";
import { isoTime } from "./times.ts";

test("a time is the same text that toISOString writes", () => {
  const start = Date.parse("2026-02-28T23:59:58.990Z");
  const moments = [
    ...Array.from({ length: 3000 }, (_, step) => start + step * 7),
    ...[0, -1, 999, 1000, 1_000_000_000_009, start + 16_000, start, start - 16_000, 253_402_300_800_000],
  ];
  for (const moment of moments) expect(isoTime(new Date(moment))).toBe(new Date(moment).toISOString());
  expect(() => isoTime(new Date(Number.NaN))).toThrow(RangeError);
});
