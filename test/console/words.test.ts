import { expect, test } from "vitest";
import { remedyFor } from "../../src/console/shell/remedies.ts";
import { problems } from "../../src/kernel/problem.ts";
import { stepProblems } from "../../src/systems/problems.ts";

// "Words on screen are plain; every error shows the problem's sentence and its remedy, never a bare code."
test("no remedy on screen names an operation, a member, a header or a setting of the API", () => {
  const all = [...Object.entries(problems), ...Object.entries(stepProblems)];
  const shown = all.map(([code, { remedy }]) => remedyFor({ code, remedy }));
  expect(shown.filter((text) => /`|[a-z]_[a-z]|[a-z]\/[a-z]|SIGNALBOX_|Retry-After|Authorization/.test(text))).toEqual(
    [],
  );
});
