import { describe, expect, test } from "vitest";
import { emptyState, type SubjectState } from "./limit-row.ts";
import { slotsForOthers } from "./node-turns.ts";

const limit = "calls in 20 s";
const withTurns = (...queues: string[]): SubjectState => ({
  ...emptyState(),
  turns: queues.map((queue) => ({ queue, limit, until: 1 })),
});

describe("slots that are left for others", () => {
  const expected = withTurns("run_1.run", "run_2.run", "run_3.run", "other.1");

  test("a call that can wait leaves one for each expected run, up to half of the limit", () => {
    expect(slotsForOthers(expected, "here.1", limit, 100)).toBe(4);
    expect(slotsForOthers(expected, "here.1", limit, 4)).toBe(3);
  });

  test("a run that is back leaves none for other runs, so a backlog of runs can use the whole limit", () => {
    expect(slotsForOthers(expected, "run_3.run", limit, 100, "here.1")).toBe(0);
    expect(slotsForOthers(withTurns("other.1", "run_1.run"), "run_1.run", limit, 100, "here.1")).toBe(1);
  });

  test("another limit of the same account does not count", () => {
    expect(slotsForOthers(expected, "here.1", "reports at once", 100)).toBe(0);
  });
});
