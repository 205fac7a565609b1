import { expect, test } from "vitest";
import { createBudgets } from "./answer-time-budgets.ts";

test("a budget is spent, refills at its rate up to its maximum, and is dropped when it is full", () => {
  let time = 0;
  const budgets = createBudgets({ burstSeconds: 2, coresEach: 0.5 }, () => time);
  budgets.spend("a", 3_000);
  expect([budgets.hasLeft("a"), budgets.hasLeft("b")]).toEqual([false, true]);
  expect(budgets.secondsUntilLeft("a")).toBe(2);
  time += 2_001;
  expect(budgets.hasLeft("a")).toBe(true);
  expect(budgets.secondsUntilLeft("a")).toBe(0);
  budgets.forgetFull();
  expect(budgets.size()).toBe(1);
  time += 60_000;
  budgets.forgetFull();
  expect(budgets.size()).toBe(0);
  budgets.spend("a", 2_000);
  expect(budgets.hasLeft("a")).toBe(false);
});
