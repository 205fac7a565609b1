import { expect, test } from "vitest";
import { whatIsSent } from "../../src/console/decisions/what-is-sent.ts";
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

test("an approval promises exactly this request only where nothing is read from the system first", () => {
  const request = { method: "POST", url: "https://example.com/v13/deployments" };
  expect(whatIsSent(request)).toBe("Exactly this request is sent, and nothing else.");
  expect(whatIsSent({ requests: [request, request], count: 2 })).toMatch(/^Exactly these requests are sent/);
  expect(whatIsSent({ ...request, reads_first: "the project's id" })).toMatch(
    /^This request is sent.*: the project's id\.$/,
  );
  expect(whatIsSent({ tool_id: "tool_1", params: {} })).toMatch(/^Exactly what is shown is done/);
  expect(whatIsSent(undefined)).toBe("The run continues.");
});
