import { describe, expect, test } from "vitest";
import type { Answer, Method, StepRequest } from "../work.ts";
import { eventOf } from "./events/translate-event.ts";
import { ourEvents } from "./presentation.ts";
import { effectOf } from "./protocol/endpoints.ts";
import { deployment } from "./system.ts";

const asked = (path = "/v9/projects/web", method: Method = "GET", more: Partial<StepRequest> = {}): StepRequest => ({
  method,
  api: "main",
  path,
  ...effectOf(method, path, more.query),
  ...more,
});
const answered = (status: number, error: unknown = undefined, headers = {}, beside = {}): Answer => ({
  status,
  headers,
  body: error === undefined ? "" : { error, ...beside },
  bytes: 0,
});

describe("what an answer means", () => {
  test.each([200, 201, 204])("%s is a success", (status) => {
    expect(deployment.failure(answered(status), asked())).toBe(null);
  });

  test.each([
    [400, { code: "bad_request" }, "invalid_there", "give up", "no"],
    [400, { code: "missing_files", missing: ["a"] }, "invalid_there", "give up", "no"],
    [400, { code: "ENV_CONFLICT", envVarKey: "A" }, "conflict_there", "give up", "no"],
    [403, { code: "ENV_CONFLICT", envVarKey: "A" }, "conflict_there", "give up", "no"],
    [401, { code: "forbidden" }, "needs_reconnect", "give up", "no"],
    [402, { code: "payment_required" }, "permission_denied", "give up", "no"],
    [403, { code: "forbidden", invalidToken: true }, "needs_reconnect", "give up", "no"],
    [403, { code: "forbidden", missingToken: true }, "needs_reconnect", "give up", "no"],
    [403, { code: "forbidden", scope: "acme", saml: false, enforced: false }, "permission_denied", "give up", "no"],
    [403, { code: "forbidden", action: "delete", resource: "project" }, "permission_denied", "give up", "no"],
    [403, { code: "team_unauthorized" }, "permission_denied", "give up", "no"],
    [403, { code: "integration_configuration_disabled" }, "permission_denied", "give up", "no"],
    [404, { code: "not_found" }, "not_found_there", "give up", "no"],
    [405, { code: "method_unknown" }, "invalid_there", "give up", "no"],
    [409, { code: "conflict" }, "conflict_there", "give up", "no"],
    [410, { code: "gone" }, "invalid_there", "give up", "no"],
    [422, {}, "invalid_there", "give up", "no"],
    [428, {}, "permission_denied", "give up", "no"],
    [429, { code: "rate_limited" }, "rate_limited", "wait", "no"],
    [500, { code: "internal_server_error" }, "system_unavailable", "try again", "maybe"],
    [502, undefined, "system_unavailable", "try again", "maybe"],
    [503, {}, "system_unavailable", "try again", "maybe"],
  ] as const)("%s %j is %s", (status, error, code, cure, done) => {
    expect(deployment.failure(answered(status, error), asked())).toMatchObject({ code, cure, done });
  });

  test("each kind of 403 has a remedy of its own", () => {
    const remedyOf = (error: object, query = {}) =>
      deployment.failure(answered(403, error), asked(undefined, "GET", { query }))?.remedy;
    const remedies = [
      remedyOf({ code: "team_unauthorized" }, { teamId: "team_1" }),
      remedyOf({ code: "forbidden", scope: "acme", saml: true, enforced: false }),
      remedyOf({ code: "forbidden", scope: "acme", saml: true, enforced: true }),
      remedyOf({ code: "forbidden", action: "create", resource: "deployment" }),
      remedyOf({ code: "integration_configuration_disabled" }),
      remedyOf({ code: "forbidden" }),
      remedyOf({ code: "forbidden" }, { teamId: "team_1" }),
    ];
    expect(remedies.map((text) => text?.slice(0, 44))).toEqual([
      "The account is no member of the team team_1:",
      'The token does not reach the scope "acme": c',
      'The team "acme" demands single sign-on: reco',
      "The account may not create deployment: ask f",
      "The installation is disabled: enable it agai",
      "This may belong to a team: give its `teamId`",
      "Ask for a higher role in the team, or use an",
    ]);
  });

  test("a missing record says whether a team was named", () => {
    const remedyOf = (query: StepRequest["query"] & object) =>
      deployment.failure(answered(404, {}), asked(undefined, "GET", { query }))?.remedy;
    expect(remedyOf({})).toContain("acts for itself");
    expect(remedyOf({ teamId: "team_1" })).toContain("team_1");
  });

  test("a conflict of variables names key, target and branch, also within a batch", () => {
    const conflict = {
      code: "ENV_CONFLICT",
      envVarKey: "API_URL",
      target: ["preview"],
      gitBranch: "dev",
      message: "There.",
    };
    const inBatch = answered(
      400,
      { code: "BAD_REQUEST", message: "All failed." },
      {},
      { failed: [{ error: conflict }] },
    );
    for (const answer of [answered(400, conflict), inBatch]) {
      expect(deployment.failure(answer, asked())?.detail).toContain("API_URL (preview, branch dev)");
    }
  });

  test("the inner object of very old paths is read too", () => {
    const answer = { status: 404, headers: {}, body: { code: "not_found", message: "Gone." }, bytes: 0 };
    expect(deployment.failure(answer, asked())).toMatchObject({
      systemCode: "not_found",
      detail: expect.stringContaining("Gone."),
    });
  });

  const at = "Sun, 01 Mar 2026 00:00:00 GMT";
  const seconds = Date.parse(at) / 1000;
  test.each([
    [{ "retry-after": "7", "x-ratelimit-reset": String(seconds + 60) }, {}, "rate_limited", 7],
    [{ "x-ratelimit-reset": String(seconds + 42), date: at }, {}, "rate_limited", 42],
    [{ "x-ratelimit-reset": String(seconds - 42), date: at }, {}, "rate_limited", 1],
    [{ date: at }, { limit: { reset: seconds + 9 } }, "rate_limited", 9],
    [{}, {}, "rate_limited", 60],
    [{ "retry-after": "70000" }, {}, "quota_exhausted", 70_000],
  ])("429 with %j %j is %s for %s seconds", (headers, error, code, waitSeconds) => {
    expect(deployment.failure(answered(429, error, headers), asked())).toMatchObject({ code, waitSeconds });
  });
});

describe("the team", () => {
  const identity = { label: "acme", team_id: "team_1" };
  test("is named on every call", () => {
    expect(deployment.complete(asked(), identity).query).toEqual({ teamId: "team_1" });
    expect(deployment.complete(asked("/v6/deployments", "GET", { query: { limit: 5 } }), identity).query).toEqual({
      limit: 5,
      teamId: "team_1",
    });
  });
  test("unless the caller names one, or the account acts for itself", () => {
    const named = asked("/v6/deployments", "GET", { query: { teamId: "team_2" } });
    const bySlug = asked("/v6/deployments", "GET", { query: { slug: "labs" } });
    expect(deployment.complete(named, identity)).toBe(named);
    expect(deployment.complete(bySlug, identity)).toBe(bySlug);
    const alone = asked();
    expect(deployment.complete(alone, { label: "ann" })).toBe(alone);
  });
});

describe("limits", () => {
  const who = { label: "ann", user_id: "u_1" };
  const account = { settings: {}, identity: who, signInMethod: "token" };
  const origin = "https://api.vercel.com";
  test.each([
    ["GET", "/v6/deployments", "deployments list"],
    ["GET", "/v7/deployments", "deployments list"],
    ["GET", "/v13/deployments/dpl_1", "deployments read"],
    ["GET", "/v3/deployments/dpl_1/events", "deployments read"],
    ["POST", "/v13/deployments", "deployments created"],
    ["DELETE", "/v13/deployments/dpl_1", "deployments deleted"],
    ["PATCH", "/v12/deployments/dpl_1/cancel", "other"],
    ["GET", "/v9/projects/p/env", "variables list"],
    ["POST", "/v10/projects/p/env", "variables created"],
    ["PATCH", "/v9/projects/p/env/1", "variables updated"],
    ["DELETE", "/v9/projects/p/env/1", "variables deleted"],
    ["POST", "/v10/projects/p/domains", "project domains"],
    ["GET", "/v9/projects", "projects read"],
    ["PATCH", "/v9/projects/p", "projects written"],
    ["GET", "/v5/domains", "domains read"],
    ["GET", "/v2/teams/t", "teams read"],
    ["GET", "/v2/teams/t/members", "members read"],
    ["GET", "/v2/user", "user read"],
  ] as const)("%s %s counts for %s", (method, path, name) => {
    const request = asked(path, method, { query: { teamId: "team_1" } });
    const subject = `deployment|${origin}|u_1|team_1`;
    expect(deployment.demands(request, origin, account)).toEqual([
      { subject, name, kind: "reported", max: null, amount: 1 },
    ]);
  });

  test("headers tell what is left; a 429 tells that nothing is", () => {
    const headers = { "x-ratelimit-limit": "500", "x-ratelimit-remaining": "499", "x-ratelimit-reset": "1772323200" };
    const told = {
      subject: `deployment|${origin}|u_1`,
      name: "projects read",
      max: 500,
      resetsAt: new Date(1_772_323_200_000),
    };
    expect(deployment.reportedLimits(answered(200, {}, headers), asked(), origin, who)).toEqual([
      { ...told, remaining: 499 },
    ]);
    // The time to wait is a span: what the platform's clock says is of no use to one that goes wrong.
    const { resetsAt: _, ...usedUp } = { ...told, remaining: 0 };
    const refused = answered(429, {}, { ...headers, "retry-after": "7" });
    expect(deployment.reportedLimits(refused, asked(), origin, who)).toEqual([{ ...usedUp, resetsInSeconds: 7 }]);
    expect(deployment.reportedLimits(answered(200), asked(), origin, who)).toEqual([]);
  });

  test("one account's calls for a team say nothing about the allowance of another account", () => {
    const request = asked("/v9/projects", "GET", { query: { teamId: "team_1" } });
    const subjectOf = (user_id: string) =>
      deployment.demands(request, origin, { ...account, identity: { label: "", user_id } })[0]?.subject;
    expect(subjectOf("u_1")).not.toBe(subjectOf("u_2"));
  });
});

describe("what a request touches", () => {
  const project = (id: string) => ({ kind: "project", id });
  const made = (id: string) => ({ kind: "deployment", id });
  test.each([
    ["GET", "/v9/projects/web", {}, [project("web")]],
    ["GET", "/v9/projects/a%2Bb/env", {}, [project("a+b")]],
    ["GET", "/v1/projects/p/deployments/d/runtime-logs", {}, [project("p"), made("d")]],
    ["GET", "/v13/deployments/dpl_1", {}, [made("dpl_1")]],
    ["DELETE", "/v13/deployments/dpl_1", { query: { url: "other.vercel.app" } }, null],
    ["PATCH", "/v12/deployments/dpl_1/cancel", {}, [made("dpl_1")]],
    ["POST", "/v13/deployments", { body: { name: "web", project: "prj_1" } }, [project("prj_1")]],
    ["POST", "/v13/deployments", { body: { name: "web" } }, [project("web")]],
    ["POST", "/v13/deployments", { body: { name: "web", deploymentId: "dpl_1" } }, [made("dpl_1")]],
    ["POST", "/v13/deployments", {}, null],
    ["GET", "/v6/deployments", { query: { projectId: "p" } }, [project("p")]],
    ["GET", "/v6/deployments", { query: { projectIds: ["p", "q"] } }, [project("p"), project("q")]],
    ["GET", "/v6/deployments", {}, null],
    ["GET", "/v9/projects", {}, null],
    ["GET", "/v2/teams", {}, []],
    // What a team or a domain loses, its projects lose too.
    ["DELETE", "/v1/teams/team_1", {}, null],
    ["DELETE", "/v6/domains/example.com", {}, null],
    ["POST", "/v1/webhooks", {}, null],
  ] as const)("%s %s %j", (method, path, more, expected) => {
    const touched = deployment.resources(asked(path, method, more as Partial<StepRequest>), { label: "" });
    expect(touched?.map(({ kind, id }) => ({ kind, id })) ?? null).toEqual(expected);
  });

  test.each([
    ["GET", "/v6/deployments", {}, "read", true],
    ["POST", "/v13/deployments", {}, "create", false],
    ["PATCH", "/v12/deployments/d/cancel", {}, "update", true],
    ["POST", "/v10/projects/p/env", {}, "create", false],
    ["POST", "/v10/projects/p/env", { upsert: true }, "update", true],
    ["POST", "/v9/projects/p/domains/d/verify", {}, "update", true],
    ["POST", "/v10/projects/p/promote/d", {}, "update", false],
    ["PATCH", "/v9/projects/p", {}, "update", true],
    ["PATCH", "/v9/projects/p/domains/d", {}, "update", true],
    ["PATCH", "/v9/projects/p/env/e", {}, "update", true],
    ["PATCH", "/v1/domains/records/rec_1", {}, "update", true],
    ["DELETE", "/v9/projects/prj_1", {}, "delete", true],
    ["DELETE", "/v13/deployments/dpl_1", {}, "delete", true],
    ["DELETE", "/v9/projects/p/env/e", {}, "delete", true],
    ["DELETE", "/v2/domains/d/records/rec_1", {}, "delete", true],
    // Each of these may do more the second time.
    ["PATCH", "/v3/certs", {}, "create", false],
    ["PUT", "/v8/certs", {}, "create", false],
    ["POST", "/v8/certs", {}, "create", false],
    ["PATCH", "/v1/projects/p/protection-bypass", {}, "update", false],
    ["PATCH", "/v1/security/firewall/config", {}, "update", false],
    ["PATCH", "/v2/teams/t", {}, "update", false],
    ["PATCH", "/v3/domains/d", {}, "update", false],
    ["PUT", "/v1/anything", {}, "update", false],
    // A name is used again, and `url` names another deployment than the path.
    ["DELETE", "/v9/projects/p", {}, "delete", false],
    ["DELETE", "/v9/projects/p/domains/d", {}, "delete", false],
    ["DELETE", "/v6/domains/d", {}, "delete", false],
    ["DELETE", "/v2/aliases/a", {}, "delete", false],
    ["DELETE", "/v13/deployments/dpl_1", { url: "web.example" }, "delete", false],
    ["DELETE", "/v13/deployments/web.vercel.app", {}, "delete", false],
    ["DELETE", "/v3/user/tokens/current", {}, "delete", false],
    ["DELETE", "/v1/anything/1", {}, "delete", false],
  ] as const)("%s %s %j is %s, repeatable: %s", (method, path, query, effect, idempotent) => {
    expect(effectOf(method, path, query)).toEqual({ effect, idempotent });
  });
});

describe("events", () => {
  test.each([
    ["deployment.created", "deployment.started"],
    ["deployment.succeeded", "deployment.completed"],
    ["deployment.error", "deployment.failed"],
    ["deployment", "deployment.started"],
    ["deployment-ready", "deployment.completed"],
    ["deployment-error", "deployment.failed"],
    ["deployment.ready", null],
    ["deployment.canceled", null],
    ["constructor", null],
  ])("%s is our %s", (vendor, ours) => {
    expect(eventOf(vendor)).toBe(ours);
    if (ours !== null) expect(ourEvents).toContain(ours);
  });
});
