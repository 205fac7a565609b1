import { expect, test } from "vitest";
import { whatApprovalSends } from "../../src/console/pages/runs/decisions/what-approval-sends.ts";
import { remedyFor } from "../../src/console/shell/remedies.ts";
import { problems } from "../../src/kernel/problem.ts";
import { stepProblems } from "../../src/systems/step-problems.ts";

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
  expect(whatApprovalSends(request)).toBe("Exactly this request is sent, and nothing else.");
  expect(whatApprovalSends({ requests: [request, request], count: 2 })).toMatch(/^Exactly these requests are sent/);
  expect(whatApprovalSends({ ...request, reads_first: "the project's id" })).toMatch(
    /^This request is sent.*: the project's id\.$/,
  );
  expect(whatApprovalSends({ tool_id: "tool_1", params: {} })).toMatch(/^Exactly what is shown is done/);
  expect(whatApprovalSends(undefined)).toBe("The run continues.");
});
