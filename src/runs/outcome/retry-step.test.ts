import { expect, test } from "vitest";
import { stepProblem } from "../../systems/step-problems.ts";
import { retryAt, type TriedStep, triesAfter } from "./retry-step.ts";

const startedAt = "2026-05-04T09:00:00.000Z";
const after = (seconds: number): Date => new Date(Date.parse(startedAt) + seconds * 1000);
const tried = (more: Partial<TriedStep> = {}): TriedStep => ({
  isRepeatable: true,
  tries: 0,
  refusals: 0,
  startedAt,
  ...more,
});
const limited = (retry_at?: string) => ({ ...stepProblem("rate_limited", "Not now."), ...(retry_at && { retry_at }) });
const secondsUntil = (problem: Parameters<typeof retryAt>[0], step: TriedStep, now = after(0)): number | null => {
  const at = retryAt(problem, step, now);
  return at && (at.getTime() - now.getTime()) / 1000;
};
const month = 31 * 86_400;

test.each([
  ["a limit of our own, for the hundredth hour", tried({ tries: 5 }), 100 * 3600, 60],
  ["the system's first refusal", tried({ refusals: 1 }), 0, 60],
  ["the system's thousandth refusal, at greater intervals", tried({ refusals: 1000 }), 86_400, 900],
  ["a limit, on the last day of the month", tried({ refusals: 1 }), month - 1, 60],
  ["a limit, after a month", tried(), month, null],
])("waits for %s", (_, step, passed, seconds) => {
  expect(secondsUntil(limited(), step, after(passed))).toBe(seconds);
});

test("waits for a limit as long as the system asks", () => {
  expect(secondsUntil(limited(after(7200).toISOString()), tried({ refusals: 30 }))).toBe(7200);
  expect(secondsUntil(limited(after(1).toISOString()), tried({ refusals: 20 }))).toBe(1);
  expect(secondsUntil(limited(after(1).toISOString()), tried({ refusals: 25 }))).toBe(32);
});

test.each([
  ["at first", tried(), 5],
  ["later after a longer pause", tried({ tries: 4 }), 80],
  ["five times at most", tried({ tries: 5 }), null],
  ["never if it may have happened", tried({ isRepeatable: false }), null],
])("retries after a failure of the system %s", (_, step, seconds) => {
  expect(secondsUntil(stepProblem("system_unavailable", "Down."), step)).toBe(seconds);
});

test("retries when the organization has computing time again", () => {
  const spent = { ...stepProblem("compute_exhausted", "Large responses."), retry_at: after(40).toISOString() };
  expect(secondsUntil(spent, tried())).toBe(40);
  expect(secondsUntil(spent, tried({ tries: 5 }))).toBeNull();
  expect(secondsUntil(stepProblem("invalid_input", "No."), tried())).toBeNull();
});

test("waits for limits use up one retry in all, failures of the system one each", () => {
  const down = stepProblem("system_unavailable", "Down.");
  expect([0, 1, 3].map((tries) => triesAfter(limited(), tries))).toEqual([1, 1, 3]);
  expect([0, 1, 3].map((tries) => triesAfter(down, tries))).toEqual([1, 2, 4]);
});
