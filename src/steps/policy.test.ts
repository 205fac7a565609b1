import { describe, expect, test } from "vitest";
import type { Resource } from "../systems/define.ts";
import type { Method, StepRequest } from "../systems/work.ts";
import { judge, matchesPath, type Policy, policyField } from "./policy.ts";

const request = (method: Method, path: string): StepRequest => ({
  method,
  path,
  api: "main",
  effect: "read",
  idempotent: true,
});
const policy = (given: unknown): Policy => policyField.parse(given);
const allowed = (given: unknown, request: StepRequest, touched: Resource[] | null = []) =>
  judge(policy(given), request, touched).allowed;

const list = request("GET", "/v6/deployments");
const create = request("POST", "/v13/deployments");
const remove = request("DELETE", "/v9/projects/prj_1");

// "Policy per connection: allow and deny by method, path and resource (project, property, list)".
describe("a connection's policy", () => {
  test("without one everything is allowed", () => {
    expect(judge(null, create, null).allowed).toBe(true);
    expect(allowed({}, create)).toBe(true);
  });

  test("with a rule that allows, nothing else is", () => {
    const readOnly = { rules: [{ effect: "allow", methods: ["GET"] }] };
    expect(allowed(readOnly, list)).toBe(true);
    expect(allowed(readOnly, create)).toBe(false);
    expect(allowed({ ...readOnly, otherwise: "allow" }, create)).toBe(true);
  });

  test("a rule that denies wins over one that allows, and says why", () => {
    const rules = [
      { effect: "allow", path: "/**" },
      { effect: "deny", methods: ["DELETE"], reason: "Projects are removed by hand." },
    ];
    expect(judge(policy({ rules }), remove, [])).toEqual({ allowed: false, reason: "Projects are removed by hand." });
    expect(allowed({ rules }, list)).toBe(true);
  });

  test("a rule that denies does not deny the rest", () => {
    expect(allowed({ rules: [{ effect: "deny", methods: ["DELETE"] }] }, list)).toBe(true);
  });

  const web: Resource = { kind: "project", id: "prj_web" };
  const other: Resource = { kind: "project", id: "prj_other" };

  test("is limited to the projects that it names", () => {
    const only = { only: { project: ["prj_web"] } };
    expect(allowed(only, create, [web])).toBe(true);
    expect(allowed(only, create, [other])).toBe(false);
    expect(allowed(only, create, [web, other])).toBe(false);
  });

  test("an unnamed resource matches no rule that allows, and may match one that denies", () => {
    expect(allowed({ only: { project: ["prj_web"] } }, list, null)).toBe(false);
    expect(allowed({ only: { project: ["prj_web"] } }, list, [])).toBe(false);
    expect(allowed({ rules: [{ effect: "deny", resources: { project: ["prj_web"] } }] }, list, null)).toBe(false);
    expect(allowed({ rules: [{ effect: "deny", resources: { project: ["prj_web"] } }] }, list, [other])).toBe(true);
  });

  test("a resource with two names is allowed under either", () => {
    const names: Resource[] = [
      { kind: "project", id: "prj_web", same: "prj_web" },
      { kind: "project", id: "web", same: "prj_web" },
    ];
    expect(allowed({ only: { project: ["web"] } }, create, names)).toBe(true);
    expect(allowed({ only: { project: ["prj_web"] } }, create, names)).toBe(true);
    expect(allowed({ only: { project: ["web"] } }, create, [...names, other])).toBe(false);
    // The caller may have written any of the names, so the reason lists them.
    expect(judge(policy({ only: { project: ["shop"] } }), create, names).reason).toContain("prj_web, also called web");
  });

  test.each([
    ["/v6/deployments", "/v6/deployments", true],
    ["/v6/deployments", "/v6/deployments/x", false],
    ["/v9/projects/*", "/v9/projects/web", true],
    ["/v9/projects/*", "/v9/projects/web/env", false],
    ["/v9/projects/**", "/v9/projects/web/env", true],
    ["/**", "/anything/at/all", true],
    ["/**/env", "/v9/projects/web/env", true],
    ["/**/env", "/v9/projects/web/domains", false],
    ["/v9/projects/my web", "/v9/projects/my%20web", true],
    ["/v1beta/properties/*:runReport", "/v1beta/properties/1000:runReport", true],
    ["/v1beta/properties/*:runReport", "/v1beta/properties/1000%3ArunReport", true],
    ["/v1beta/properties/*:runReport", "/v1beta/properties/1000:runPivotReport", false],
    ["/rest/v1/campaigns/*.json", "/rest/v1/campaigns/7.json", true],
    ["/rest/v1/campaigns/*.json", "/rest/v1/campaigns/7/trigger.json", false],
    ["/rest/*/lists/1*1.json", "/rest/v1/lists/11.json", true],
    ["/rest/*/lists/1*1.json", "/rest/v1/lists/1.json", false],
    ["/v9/**", "/v9", true],
  ])("the pattern %s matches %s: %s", (pattern, path, expected) => {
    expect(matchesPath(pattern, path)).toBe(expected);
  });

  test("a pattern of many stars visits each segment once, however it ends", () => {
    const pattern = "/**/a".repeat(60);
    expect(matchesPath(pattern, "/a".repeat(2000))).toBe(true);
    expect(matchesPath(pattern, `${"/a".repeat(2000)}/b`)).toBe(false);
  });

  test.each([
    ["property", "properties/1000", "1000"],
    ["property", "1000", "1000"],
    ["account", "accounts/100", "100"],
    ["list", "007", "7"],
  ] as const)("a %s written as %s is the one with the id %s", (kind, written, id) => {
    const rules = [{ effect: "deny", resources: { [kind]: [written] } }];
    expect(allowed({ rules }, list, [{ kind, id }])).toBe(false);
    expect(allowed({ only: { [kind]: [written] } }, list, [{ kind, id }])).toBe(true);
  });

  test.each([
    ["an unknown member", { allow: ["GET"] }],
    ["an unknown method", { rules: [{ effect: "allow", methods: ["STEAL"] }] }],
    ["an unknown kind of thing", { only: { planet: ["x"] } }],
    ["an empty list", { only: { project: [] } }],
    ["a path without its slash", { rules: [{ effect: "allow", path: "v6/deployments" }] }],
    ["a word in place of an effect", { rules: [{ effect: "maybe" }] }],
  ])("%s is refused", (_name, given) => {
    expect(policyField.safeParse(given).success).toBe(false);
  });
});
