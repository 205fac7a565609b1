import { expect, test } from "vitest";
import { startApp } from "../../test/support/app.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { asRole, expectWrongRegion, startTeam } from "../../test/support/team.ts";
import { newApiKey } from "./callers/api-key-format.ts";

describeOnBothStores("who am I", (kind) => {
  test("returns the person, the organization, the key and the projects with roles", async () => {
    const team = await startTeam(kind);
    const viewer = await team.colleague("viewer", "viewer");
    const own = await team.project(viewer, "Mine");
    const answer = await team.call("auth/info", {}, { as: viewer });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        user_id: viewer.userId,
        organization_id: team.owner.organizationId,
        region: "us",
        user: { user_id: viewer.userId, email: "viewer@example.com", organization_role: "member" },
        organization: { organization_id: team.owner.organizationId, name: "owner@example.com" },
        key: { key_id: expect.stringMatching(/^key_us_/), project_ids: null, max_role: null },
        session_id: null,
        projects: [
          { project_id: team.projectId, name: "A project", role: "viewer" },
          { project_id: own, name: "Mine", role: "admin" },
        ],
      },
    ]);
  });

  test("a restricted key returns its restrictions", async () => {
    const { owner, projectId, project, call } = await startTeam(kind);
    await project(owner, "Out of reach");
    const wanted = { project_ids: [projectId], max_role: "editor" };
    const { key_id, api_key } = (await call("auth/keys/create", wanted, { as: owner })).body;
    const info = await call("auth/info", {}, { authorization: `Bearer :${api_key}` });
    expect(info.body.key).toEqual({ key_id, ...wanted });
    expect(info.body.projects).toMatchObject([{ project_id: projectId, role: "editor" }]);
  });

  test("a key of another region is refused with that region, and a call without a key is refused", async () => {
    const { call } = await startApp(kind);
    expectWrongRegion(await call("auth/info", {}, { authorization: `Bearer :${newApiKey("eu")}` }), "eu");
    expect((await call("auth/info", {})).body).toMatchObject({ status: 401, code: "credentials_missing" });
    const unknown = await call("auth/info", {}, { authorization: `Bearer :${newApiKey("us")}` });
    expect(unknown.body).toMatchObject({ status: 401, code: "credentials_invalid" });
  });
});

describeOnBothStores("a person joins an organization", (kind) => {
  test("and is a member of every project with a pending invite, with the role of the invite", async () => {
    const team = await startTeam(kind);
    const { call, owner, inProject, projectId } = team;
    const second = await team.project(owner);
    const wanted = (role: "viewer" | "editor") => ({ email: "Late@Example.com", permissions: asRole(role) });
    await call("auth/invite/create", wanted("viewer"), inProject(owner));
    await call("auth/invite/create", wanted("editor"), { as: owner, project: second });

    const late = await team.person("late@example.com", owner);
    const { projects } = (await call("auth/info", {}, { as: late })).body;
    expect(projects).toMatchObject([
      { project_id: projectId, role: "viewer" },
      { project_id: second, role: "editor" },
    ]);
    const invites = await call("auth/invite/list", {}, inProject(owner));
    expect(invites.body.results).toMatchObject([{ status: "accepted", user_id: late.userId }]);
    const rows = await call("audit/list", { limit: 3, whole_organization: true }, inProject(owner));
    expect(rows.body.results).toMatchObject([
      { action: "user.joined", project_id: second, target: late.userId },
      { action: "user.joined", project_id: projectId, target: late.userId },
      { action: "user.created", target: late.userId },
    ]);
  });

  test("an expired invite grants nothing and is deleted", async () => {
    const team = await startTeam(kind);
    const { call, owner, inProject } = team;
    await call("auth/invite/create", { email: "late@example.com", permissions: asRole("admin") }, inProject(owner));
    team.advance(8 * 86_400);
    const late = await team.person("late@example.com", owner);
    expect((await call("auth/info", {}, { as: late })).body.projects).toEqual([]);
    expect((await call("auth/invite/list", {}, inProject(owner))).body.results).toEqual([]);
  });

  test("concurrently with an invite, they get one membership, and no invite stays open", async () => {
    const team = await startTeam(kind);
    const { call, owner, inProject } = team;
    for (const name of ["a", "b", "c", "d", "e"]) {
      const wanted = { email: `${name}@example.com`, permissions: asRole("viewer") };
      const [invited, person] = await Promise.all([
        call("auth/invite/create", wanted, inProject(owner)),
        team.person(wanted.email, owner),
      ]);
      expect(invited.status).toBe(200);
      expect((await call("projects/get", {}, inProject(person))).status).toBe(200);
    }
    const { results } = (await call("auth/invite/list", {}, inProject(owner))).body;
    expect(results.map((each: { status: string }) => each.status)).toEqual(Array(5).fill("accepted"));
  });

  test("an address that already has an account is refused, in any spelling", async () => {
    const team = await startTeam(kind);
    await expect(team.person("OWNER@example.com", team.owner)).rejects.toMatchObject({ code: "email_taken" });
  });

  // "A person whose e-mail is known in two organizations has two accounts."
  test("the same address in two organizations is two accounts, and neither key has access to the other", async () => {
    const team = await startTeam(kind);
    const twin = await team.person(team.owner.email);
    expect(twin.userId).not.toBe(team.owner.userId);
    expect((await team.call("projects/list", {}, { as: twin })).body.results).toEqual([]);
    expect((await team.call("projects/get", {}, team.inProject(twin))).body.code).toBe("project_not_found");
  });
});
