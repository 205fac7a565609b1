import { expect, test } from "vitest";
import { processorTime, workedSince } from "./processor-time.ts";

test("work is what the thread has spent, without what was stolen of the processor that lost most", () => {
  const before = { spent: 100, stolen: [40, 1000] };
  expect(workedSince(before, { spent: 116, stolen: [40, 1000] })).toBe(16);
  expect(workedSince(before, { spent: 350, stolen: [50, 1230] })).toBe(20);
  expect(workedSince(before, { spent: 102, stolen: [60, 1000] })).toBe(0);
  expect(workedSince({ spent: 0, stolen: [] }, { spent: 7, stolen: [] })).toBe(7);
});

test("a busy thread spends, and each processor has its own count", () => {
  const before = processorTime();
  let [sum, turns] = [0, 0];
  // Ends by work and not by time: a processor that is taken away makes it longer, and not shorter.
  while (processorTime().spent < before.spent + 20) for (turns = 0; turns < 100_000; turns++) sum += turns % 7;
  const now = processorTime();
  expect(sum).toBeGreaterThan(0);
  expect(now.stolen).toHaveLength(before.stolen.length);
  expect(now.stolen.every((each, index) => each >= (before.stolen[index] ?? 0))).toBe(true);
});
