import { describe, expect, test } from "vitest";
import { members } from "../api/agents/agent-response.ts";
import { settingsField } from "../api/connections/connection-response.ts";
import { policyField } from "../steps/policy.ts";
import { withValidNames } from "./valid-names.ts";

// "Wrong keys in `settings`, `policy` or rules name the valid ones."
describe("a name that is not known", () => {
  const rule = { on: "deployment.failed", tool_id: "tol_us_1" };
  test.each([
    [
      "settings",
      settingsField,
      { dailyquota: 1 },
      /Did you mean `daily_quota`\? Valid are: `daily_quota`, `burst_calls`/,
    ],
    ["a policy", policyField, { rule: [] }, /Did you mean `rules`\? Valid are: `rules`, `only`, `otherwise`/],
    [
      "a rule of a policy",
      policyField,
      { rules: [{ effect: "deny", method: ["GET"] }] },
      /Valid are: `effect`, `methods`, `path`/,
    ],
    [
      "resources",
      policyField,
      { only: { projct: ["web"] } },
      /Did you mean `project`\? Valid are: `list`, `campaign`, `project`/,
    ],
    ["a rule of an agent", members.rules, [{ ...rule, when: 1 }], /Valid are: `on`, `tool_id`, `params`/],
  ] as const)("in %s is refused with the valid ones", (_, schema, given, words) => {
    const [issue] = schema.safeParse(given).error?.issues ?? [];
    if (!issue) throw new Error("It was accepted.");
    expect(withValidNames(issue, schema)).toMatch(words);
  });

  test.each([
    ["deployment.exploded", /`deployment\.[a-z.]+`/],
    ["deployment.fail", /`deployment.failed`/],
    ["deployment.succeded", /`deployment.succeeded`/],
  ])("of an event (%s) is refused with the nearest", (on, words) => {
    const [issue] = members.rules.safeParse([{ ...rule, on }]).error?.issues ?? [];
    expect(issue?.message).toMatch(words);
  });

  test.each([
    "deployment.failed",
    "deployment.error",
    "deployment-error",
    "deployment",
    "*",
    "project.created",
    "order.paid",
  ])("of an event may be %s", (on) => expect(members.rules.safeParse([{ ...rule, on }]).success).toBe(true));
});
