import fc from "fast-check";
import { expect, test } from "vitest";
import { policyField } from "../../../../steps/policy.ts";
import { kindsFor, type Policy, policyOf, type Rule, withMember, withOnly, withRule, withThings } from "./policy.ts";

const ids = fc.array(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 3 });
const kinds = ["project", "property", "account", "list", "campaign"] as const;
const things = fc.record(Object.fromEntries(kinds.map((kind) => [kind, ids])), { requiredKeys: [] });
const rule = fc.record(
  {
    effect: fc.constantFrom("allow", "deny"),
    methods: fc.array(fc.constantFrom("GET", "POST", "DELETE"), { minLength: 1, maxLength: 3 }),
    path: fc.constantFrom("/", "/v6/**", "/rest/v1/*.json"),
    resources: things,
    reason: fc.string({ maxLength: 20 }),
  },
  { requiredKeys: ["effect"] },
);
const policies = fc
  .record(
    { rules: fc.array(rule, { maxLength: 4 }), only: things, otherwise: fc.constantFrom("allow", "deny") },
    { requiredKeys: ["rules"] },
  )
  .map((given) => policyField.parse(given) as Policy);

// A rule with two kinds of things was shown as two rules. Each allowed more than the one did.
test("any policy that the API accepts passes through the form unchanged, whichever rule is rewritten as it was", () => {
  fc.assert(
    fc.property(policies, (policy) => {
      expect(policyOf(policy)).toEqual(policy);
      for (const [index, each] of policy.rules.entries()) {
        const same = Object.entries(each.resources ?? {}).reduce<Rule>(
          (kept, [kind, named]) =>
            withMember(kept, "resources", withThings(kept.resources, kind as "project", named as string[])),
          each,
        );
        expect(withRule(policy, index, same)?.rules).toEqual(policy.rules);
        const shown = kindsFor("deployment", each.resources).map(({ kind }) => kind);
        expect(shown).toEqual(expect.arrayContaining(Object.keys(each.resources ?? {})));
      }
    }),
    { numRuns: 200, seed: 18 },
  );
});

test("a change of one member leaves the other kinds of things, and every other member, as they were", () => {
  const both: Rule = { effect: "allow", methods: ["POST"], resources: { property: ["1000"], account: ["100"] } };
  expect(withMember(both, "reason", "Reports")).toEqual({ ...both, reason: "Reports" });
  expect(withMember(both, "resources", withThings(both.resources, "account", []))).toEqual({
    effect: "allow",
    methods: ["POST"],
    resources: { property: ["1000"] },
  });
  expect(withMember(both, "methods", [])).toEqual({ effect: "allow", resources: both.resources });
  expect(kindsFor("deployment", both.resources).map(({ kind }) => kind)).toEqual(["project", "property", "account"]);
});

test("a policy that says nothing any more is none", () => {
  expect(withOnly({ rules: [], only: { project: ["web"] } }, "project", [])).toBeNull();
  expect(withRule({ rules: [{ effect: "allow" }] }, 0, null)).toBeNull();
  expect(withRule({ rules: [{ effect: "allow" }], otherwise: "deny" }, 0, null)).toEqual({
    rules: [],
    otherwise: "deny",
  });
});
