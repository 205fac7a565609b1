import { describe, expect, test } from "vitest";
import { analytics } from "../systems/analytics/system.ts";
import { deployment } from "../systems/deployment/system.ts";
import { failed } from "../systems/fail-step.ts";
import { marketing } from "../systems/marketing/system.ts";
import type { StepProblemCode } from "../systems/step-problems.ts";
import { type Answer, StepFailed, type StepRequest } from "../systems/work.ts";
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
  test("looks up the project of a deployment", async () => {
    const ofShop = answerWith({ projectId: "prj_1", project: { name: "shop" } });
    expect(await codeOf(enforcePolicy(cancel, deployment, denyShop, ofShop))).toBe("policy_denied");
    expect(await codeOf(enforcePolicy(cancel, deployment, onlyShop, ofShop))).toBe("allowed");
    const ofOther = answerWith({ projectId: "prj_2", project: { name: "web" } });
    expect(await codeOf(enforcePolicy(cancel, deployment, denyShop, ofOther))).toBe("allowed");
    expect(await codeOf(enforcePolicy(cancel, deployment, onlyShop, ofOther))).toBe("policy_denied");
  });

  // "A rule that denies" must also hold while the system fails.
  test.each([
    ["the system is away", "system_unavailable", "system_unavailable"],
    ["a limit is used up", "rate_limited", "rate_limited"],
    ["the account may not look", "permission_denied", "policy_denied"],
    ["the thing is not there", "not_found_there", "allowed"],
  ] as const)("where it cannot be looked up because %s, nothing that is denied slips through", async (_, code, end) => {
    expect(await codeOf(enforcePolicy(cancel, deployment, denyShop, refuseWith(code)))).toBe(end);
  });

  test("a dry run looks nothing up, and says so if that matters", async () => {
    expect((await verdictOn(cancel, deployment, onlyShop, null)).reason).toContain("looked up");
    const plain = connectionWith({ rules: [{ effect: "deny", methods: ["DELETE"] }] });
    expect((await verdictOn(cancel, deployment, plain, null)).reason).not.toContain("looked up");
  });
});

/** "Judge by what will really happen." */
describe("a request that names another method than it is sent with", () => {
  const readsOnly = connectionWith({ rules: [{ effect: "allow", methods: ["GET"] }] });
  const noDeletes = connectionWith({ rules: [{ effect: "deny", methods: ["DELETE"] }] });
  const post = (path: string, more: Partial<StepRequest>): StepRequest => ({
    ...{ method: "POST", api: "main", path, effect: "update", idempotent: false },
    ...more,
  });
  const leads = "/rest/v1/leads.json";
  const report = "/v1beta/properties/1000:runReport";
  const asGet = { _method: "GET" };

  test.each([
    [
      "marketing takes a long read that says so for a GET",
      marketing,
      post(leads, { effect: "read", query: asGet }),
      readsOnly,
      true,
    ],
    [
      "marketing: a write that says GET is judged as a POST",
      marketing,
      post(leads, { query: asGet }),
      readsOnly,
      false,
    ],
    [
      "marketing takes a POST for the DELETE that it says",
      marketing,
      post(leads, { query: { _method: "delete" } }),
      noDeletes,
      false,
    ],
    [
      "marketing looks into forms",
      marketing,
      post(leads, { form: true, body: { _method: "DELETE" } }),
      noDeletes,
      false,
    ],
    ["analytics does not know it", analytics, post(report, { effect: "read", query: asGet }), readsOnly, false],
    [
      "deployment does not know it",
      deployment,
      post("/v9/projects", { effect: "read", query: asGet }),
      readsOnly,
      false,
    ],
  ])("%s", async (_, system, request, connection, isAllowed) => {
    expect((await verdictOn(request, system, connection, null)).allowed).toBe(isAllowed);
  });
});
