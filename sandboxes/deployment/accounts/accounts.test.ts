import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type StartedSandbox, startSandbox } from "../testing/started-sandbox.ts";

let sandbox: StartedSandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

describe("a token", () => {
  test.each([
    ["is missing", null, { missingToken: true }],
    ["is wrong", "nonsense", { invalidToken: true }],
    ["has expired", "expired", { invalidToken: true }],
  ])("that %s answers 403 and says so", async (_what, given, extra) => {
    const token = given === "expired" ? sandbox.credentials.expired_token : given;
    const { status, body, headers } = await sandbox.call("/v6/deployments", { token });
    expect(status).toBe(403);
    expect(body.error).toMatchObject({ code: "forbidden", ...extra });
    expect(headers.get("x-ratelimit-limit")).toBe("500");
  });

  test("another scheme than Bearer is no token", async () => {
    const headers = { authorization: "Basic abc" };
    const { body } = await sandbox.call("/v2/user", { token: null, headers });
    expect(body.error.invalidToken).toBe(true);
  });

  test("for one team reaches that team, and nothing without its id", async () => {
    const token = sandbox.credentials.team_token;
    expect((await sandbox.call("/v9/projects", { token })).status).toBe(200);
    const bare = await sandbox.call("/v9/projects", { token, isUnscoped: true });
    expect(bare.status).toBe(403);
    expect(bare.body.error).toMatchObject({ code: "forbidden", saml: false, scope: "ann-archer", enforced: false });
    const { teams } = (await sandbox.call("/v2/teams", { token, isUnscoped: true })).body;
    expect(teams[0]).toMatchObject({ slug: "acme-labs", limited: true, limitedBy: ["scope"] });
    expect(teams[1]).not.toHaveProperty("limited");
    expect((await sandbox.call("/v2/user", { token, isUnscoped: true })).body.user.limited).toBe(true);
  });

  // "Requests to any other project, a user-level resource, or a team-level resource will be denied."
  test("for one project reaches that project, and nothing of the team or the user", async () => {
    const token = sandbox.credentials.project_token;
    const { project_id: id } = sandbox.ids;
    for (const path of [`/v9/projects/${id}`, "/v9/projects/web/env", `/v6/deployments?projectId=${id}`]) {
      expect([path, (await sandbox.call(path, { token })).status]).toEqual([path, 200]);
    }
    for (const path of [
      "/v9/projects/shop",
      "/v9/projects",
      "/v6/deployments",
      "/v5/domains",
      "/v2/teams",
      "/v2/user",
    ]) {
      const { status, body } = await sandbox.call(path, { token, isUnscoped: path.startsWith("/v2") });
      expect([path, status, body.error.code]).toEqual([path, 403, "forbidden"]);
    }
  });

  test("of a stranger to the team is refused", async () => {
    const { status, body } = await sandbox.call("/v9/projects", { token: sandbox.credentials.outsider_token });
    expect([status, body.error.code]).toEqual([403, "team_unauthorized"]);
    const team = await sandbox.call(`/v2/teams/${sandbox.credentials.team_id}`, {
      token: sandbox.credentials.outsider_token,
      isUnscoped: true,
    });
    expect(team.body.error.code).toBe("team_unauthorized");
  });

  test("of a viewer reads and does not write; a developer leaves production variables alone", async () => {
    const body = { name: "web", deploymentId: sandbox.ids.deployment_id };
    const viewer = await sandbox.call("/v13/deployments", {
      method: "POST",
      body,
      token: sandbox.credentials.viewer_token,
    });
    expect(viewer.status).toBe(403);
    expect(viewer.body.error).toMatchObject({ code: "forbidden", action: "create", resource: "deployment" });
    const token = sandbox.credentials.developer_token;
    expect((await sandbox.call("/v13/deployments", { method: "POST", body, token })).status).toBe(200);
    expect((await sandbox.call("/v10/projects", { method: "POST", body: { name: "x" }, token })).status).toBe(403);
    const variable = { key: "A", value: "b", type: "plain", target: ["production"] };
    const path = "/v10/projects/web/env";
    expect((await sandbox.call(path, { method: "POST", body: variable, token })).status).toBe(403);
    expect(
      (await sandbox.call(path, { method: "POST", body: { ...variable, target: ["preview"] }, token })).status,
    ).toBe(201);
  });
});

describe("scope", () => {
  test("is the team by id or slug, else one's own account", async () => {
    const bySlug = await sandbox.call("/v9/projects/web?slug=acme", { isUnscoped: true });
    expect(bySlug.body.id).toBe(sandbox.ids.project_id);
    const own = (await sandbox.call("/v9/projects", { isUnscoped: true })).body.projects;
    expect(own.map(({ id }: { id: string }) => id)).toEqual([sandbox.ids.personal_project_id]);
  });

  test("forgotten, hides a project and refuses a deployment", async () => {
    expect((await sandbox.call("/v9/projects/web", { isUnscoped: true })).status).toBe(404);
    const deployment = await sandbox.call(`/v13/deployments/${sandbox.ids.deployment_id}`, { isUnscoped: true });
    expect(deployment.status).toBe(403);
    expect(deployment.body.error).toMatchObject({ scope: "acme", teamId: sandbox.credentials.team_id });
    const stranger = await sandbox.call(`/v13/deployments/${sandbox.ids.deployment_id}`, {
      isUnscoped: true,
      token: sandbox.credentials.outsider_token,
    });
    expect(stranger.status).toBe(404);
  });
});

describe("paths", () => {
  test("that do not exist are 404, and a wrong verb says which are right", async () => {
    expect((await sandbox.call("/v9/nothing")).body.error.code).toBe("not_found");
    const wrong = await sandbox.call("/v6/deployments", { method: "PUT" });
    expect([wrong.body.error.code, wrong.headers.get("allow")]).toEqual(["method_unknown", "GET, POST"]);
    expect((await sandbox.call("/v9/projects/%E0%A4%A")).status).toBe(400);
  });

  test("of the vendor's command line are served too", async () => {
    const { deployment_id: id } = sandbox.ids;
    expect((await sandbox.call("/projects/web/custom-environments")).body).toEqual({
      environments: [],
      accountLimit: { total: 1 },
    });
    expect((await sandbox.call(`/v11/deployments/${id}/builds`)).body).toEqual({ builds: [] });
    expect((await sandbox.call(`/now/deployments/${id}/aliases`)).body.aliases).toBeInstanceOf(Array);
    expect((await sandbox.call("/v1/teams", { isUnscoped: true })).status).toBe(200);
  });
});

describe("domains and members", () => {
  test("domains page by time; a stranger's is not there", async () => {
    const first = (await sandbox.call("/v5/domains")).body;
    expect(first.domains).toHaveLength(20);
    const rest = (await sandbox.call(`/v5/domains?until=${first.pagination.next}`)).body;
    expect([rest.domains.length, rest.pagination.next]).toEqual([4, null]);
    expect((await sandbox.call("/v5/domains/globex.example")).status).toBe(404);
  });

  test("members are searched and filtered by role", async () => {
    const path = `/v2/teams/${sandbox.credentials.team_id}/members`;
    const { members } = (await sandbox.call(`${path}?search=archer`)).body;
    expect(members.map(({ role }: { role: string }) => role)).toEqual(["OWNER"]);
    expect((await sandbox.call(`${path}?role=KING`)).status).toBe(400);
    // "roles OWNER, MEMBER, DEVELOPER, SECURITY, BILLING, VIEWER, VIEWER_FOR_PLUS, CONTRIBUTOR"
    for (const role of ["SECURITY", "VIEWER_FOR_PLUS", "CONTRIBUTOR"]) {
      expect((await sandbox.call(`${path}?role=${role}`)).body.members).toEqual([]);
    }
    expect((await sandbox.call("/v2/teams/team_none/members")).status).toBe(404);
  });
});

describe("rate limits", () => {
  test("count down per group and end in 429 until the minute is over", async () => {
    await sandbox.limit({ env_list_per_minute: 2 });
    const path = "/v9/projects/web/env";
    const remaining = [await sandbox.call(path), await sandbox.call(path)].map((answer) =>
      answer.headers.get("x-ratelimit-remaining"),
    );
    expect(remaining).toEqual(["1", "0"]);
    const refused = await sandbox.call(path);
    const wait = Number(refused.headers.get("retry-after"));
    expect(refused.status).toBe(429);
    expect(wait).toBeGreaterThan(50);
    expect(refused.body.error).toMatchObject({ code: "rate_limited", limit: { remaining: 0, total: 2 } });
    expect(Number(refused.headers.get("x-ratelimit-reset"))).toBe(refused.body.error.limit.reset);
    expect((await sandbox.call("/v9/projects/web")).status).toBe(200);
    await sandbox.advance(wait);
    expect((await sandbox.call(path)).status).toBe(200);
  });

  test("of created deployments hold for an hour and for a day", async () => {
    await sandbox.limit({ deployments_created_per_hour: 1, deployments_created_per_day: 2 });
    const create = () =>
      sandbox.call("/v13/deployments", {
        method: "POST",
        body: { name: "web", deploymentId: sandbox.ids.deployment_id },
      });
    expect([(await create()).status, (await create()).body.error.code]).toEqual([200, "rate_limited"]);
    await sandbox.advance(3600);
    expect((await create()).status).toBe(200);
    await sandbox.advance(3600);
    expect((await create()).body.error.code).toBe("too_many_requests");
  });
});
