import { describe, expect, test } from "vitest";
import { type Answer, StepFailed, type StepRequest } from "../systems/define.ts";
import { deployment } from "../systems/deployment/system.ts";
import { failed } from "../systems/failed.ts";
import type { StepProblemCode } from "../systems/problems.ts";
import type { Connection } from "../vault/vault.ts";
import { enforcePolicy, verdictOn } from "./enforce-policy.ts";

const connectionWith = (policy: unknown): Connection =>
  ({ policy, identity: { label: "acme", team_id: "team_1", team_slug: "acme" } }) as unknown as Connection;

const cancel: StepRequest = {
  method: "PATCH",
  api: "main",
  path: "/v12/deployments/dpl_1/cancel",
  query: { teamId: "team_1" },
  effect: "update",
  idempotent: true,
};

const answerWith = (body: unknown) => async (): Promise<Answer> => ({ status: 200, headers: {}, body, bytes: 1 });
const refuseWith = (code: StepProblemCode) => async (): Promise<Answer> => {
  throw new StepFailed(failed(code, "give up", "no"), null);
};

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "allowed",
    (error: StepFailed) => error.failure.code,
  );

const denyShop = connectionWith({ rules: [{ effect: "deny", resources: { project: ["shop"] } }] });
const onlyShop = connectionWith({ only: { project: ["shop"] } });

describe("a policy that names projects", () => {
  test("looks up whose deployment it is", async () => {
    const ofShop = answerWith({ projectId: "prj_1", project: { name: "shop" } });
    expect(await codeOf(enforcePolicy(cancel, deployment, denyShop, ofShop))).toBe("policy_denied");
    expect(await codeOf(enforcePolicy(cancel, deployment, onlyShop, ofShop))).toBe("allowed");
    const ofOther = answerWith({ projectId: "prj_2", project: { name: "web" } });
    expect(await codeOf(enforcePolicy(cancel, deployment, denyShop, ofOther))).toBe("allowed");
    expect(await codeOf(enforcePolicy(cancel, deployment, onlyShop, ofOther))).toBe("policy_denied");
  });

  // "A rule that denies" must hold on a bad day too.
  test.each([
    ["the system is away", "system_unavailable", "system_unavailable"],
    ["a limit is used up", "rate_limited", "rate_limited"],
    ["the account may not look", "permission_denied", "policy_denied"],
    ["the thing is not there", "not_found_there", "allowed"],
  ] as const)("where it cannot be looked up because %s, nothing that is denied slips through", async (_, code, end) => {
    expect(await codeOf(enforcePolicy(cancel, deployment, denyShop, refuseWith(code)))).toBe(end);
  });

  test("a dry run looks nothing up, and says so where that matters", async () => {
    expect((await verdictOn(cancel, deployment, onlyShop, null)).reason).toContain("looked up");
    const plain = connectionWith({ rules: [{ effect: "deny", methods: ["DELETE"] }] });
    expect((await verdictOn(cancel, deployment, plain, null)).reason).not.toContain("looked up");
  });
});
