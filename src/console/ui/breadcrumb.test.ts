import { expect, test } from "vitest";
import { breadcrumbOf } from "./breadcrumb.ts";

test.each([
  ["#/steps/0/input/method", "steps › 1 › input › method"],
  ["/steps/9", "steps › 10"],
  ["#/input/v9", "input › v9"],
])("%s reads %s", (pointer, words) => {
  expect(breadcrumbOf(pointer)).toBe(words);
});
