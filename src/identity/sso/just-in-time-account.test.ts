import { expect, test } from "vitest";
import { permissions } from "../../../test/support/app.ts";
import { expectProblem } from "../../../test/support/calls/expect-problem.ts";
import { goodPassword, lastMail, withSession } from "../../../test/support/sign-in/sign-in.ts";
import { startSsoWorld } from "../../../test/support/sign-in/sso-world.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";

describeOnBothStores("a person from the provider without an account", (kind) => {
  test("without just-in-time membership, the page says that there is no account", async () => {
    const world = await startSsoWorld(kind);
    await world.verify("example.com");
    const refused = await world.signIn();
    expect([refused.status, refused.code]).toEqual([403, "sso_no_account"]);
    expect(refused.text).toContain("Ask the owner of your organization");
    expect(refused.text).toMatch(/req_\w+/);
    expect(await world.rows("users")).toHaveLength(1);
  });

  test("just in time: gets an account, membership of the default project, and pending invites", async () => {
    const world = await startSsoWorld(kind);
    await world.verify("example.com");
    const second = await world.project(world.owner, "Second");
    const invite = { email: "ada@example.com", permissions: permissions("role:viewer") };
    expect((await world.call("auth/invite/create", invite, { as: world.owner, project: second })).status).toBe(200);
    const change = {
      just_in_time: true,
      default_project_id: world.projectId,
      default_permissions: permissions("role:editor"),
    };
    await world.call(`single_sign_on/${world.providerId}/update`, change, { as: world.owner });
    const { status, browser } = await world.signIn();
    expect(status).toBe(303);
    const headers = { cookie: `__Host-sb_session_us=${browser.session}`, origin: "http://us.test" };
    const { body } = await world.call("projects/list", {}, { headers });
    const roles = body.results.map((each: { project_id: string; role: string }) => [each.project_id, each.role]);
    expect(roles.sort()).toEqual(
      [
        [world.projectId, "editor"],
        [second, "viewer"],
      ].sort(),
    );
    expect((await world.auditActions()).slice(-5)).toEqual([
      "user.created",
      "user.joined",
      "identity.linked",
      "session.created",
      "user.joined",
    ]);
    // The second sign-in creates no account.
    await world.signIn();
    expect(await world.rows("users")).toHaveLength(2);
  });

  test("with an open invite gets an account also without just-in-time membership", async () => {
    const world = await startSsoWorld(kind, { required: true });
    const invite = { email: "ada@example.com", permissions: permissions("role:viewer") };
    await world.call("auth/invite/create", invite, world.inProject(world.owner));
    expect((await world.signIn()).code).toBe("sso_no_account");
    await world.verify("example.com");
    world.idp.person = { ...world.idp.person, sub: "subject-2", email: "eve@example.com" };
    expect((await world.signIn()).code).toBe("sso_no_account");
    expect(await world.rows("users")).toHaveLength(1);
    world.idp.person = { ...world.idp.person, sub: "subject-1", email: "ada@example.com" };
    expect((await world.signIn()).status).toBe(303);
    const roles = await world.store.query("select role from memberships where project_id = $1", [world.projectId]);
    expect(roles.map(({ role }) => role).sort()).toEqual(["admin", "viewer"]);
  });

  test("an account created for an unverified address accepts no invites", async () => {
    const world = await startSsoWorld(kind, { just_in_time: true });
    const invite = { email: "ada@example.com", permissions: permissions("admin") };
    await world.call("auth/invite/create", invite, world.inProject(world.owner));
    expect((await world.signIn()).status).toBe(303);
    expect(await world.store.query("select * from memberships where role = 'admin'")).toHaveLength(1);
    const made = (await world.rows("users")).find(({ email }) => email === "ada@example.com");
    expect(made).toMatchObject({ email_verified_at: null, organization_role: "member" });
  });

  test("nor with the code of an invite that is older than the account", async () => {
    const world = await startSsoWorld(kind, { just_in_time: true });
    const invite = { email: "ada@example.com", permissions: permissions("admin") };
    const { invite_code } = (await world.call("auth/invite/create", invite, world.inProject(world.owner))).body;
    const ada = withSession((await world.signIn()).browser.session ?? null);
    expectProblem(await world.call("auth/invite/accept", { invite_code }, ada), "address_unverified");
    expect((await world.call("projects/list", {}, ada)).body.results).toEqual([]);
    const { results } = (await world.call("auth/invite/list", {}, world.inProject(world.owner))).body;
    expect(results).toMatchObject([{ invite_code, status: "pending" }]);
  });

  // "When the invited user is already a member of the organization, the invite is accepted automatically."
  test("but joins at once by an invite that is created for the member", async () => {
    const world = await startSsoWorld(kind, { just_in_time: true });
    const ada = withSession((await world.signIn()).browser.session ?? null);
    const invite = { email: "ada@example.com", permissions: permissions("role:viewer") };
    await world.call("auth/invite/create", invite, world.inProject(world.owner));
    const { results } = (await world.call("projects/list", {}, ada)).body;
    expect(results).toMatchObject([{ project_id: world.projectId, role: "viewer" }]);
  });

  test("and at once by a second invite, if the first one is older than the account", async () => {
    const world = await startSsoWorld(kind, { just_in_time: true });
    const invite = { email: "ada@example.com", permissions: permissions("role:viewer") };
    await world.call("auth/invite/create", invite, world.inProject(world.owner));
    const ada = withSession((await world.signIn()).browser.session ?? null);
    const again = { ...invite, permissions: permissions("role:editor") };
    expect((await world.call("auth/invite/create", again, world.inProject(world.owner))).status).toBe(200);
    const { results } = (await world.call("projects/list", {}, ada)).body;
    expect(results).toMatchObject([{ project_id: world.projectId, role: "editor" }]);
    const { body } = await world.call("auth/invite/list", {}, world.inProject(world.owner));
    expect(body.results).toMatchObject([{ status: "accepted" }]);
  });

  test("the link in a mail verifies the address: then the invite can be accepted", async () => {
    const world = await startSsoWorld(kind, { just_in_time: true });
    const invite = { email: "ada@example.com", permissions: permissions("admin") };
    const { invite_code } = (await world.call("auth/invite/create", invite, world.inProject(world.owner))).body;
    await world.signIn();
    await world.call("auth/password/forgot", { email: invite.email });
    const { token } = (await lastMail(world, "password_reset")).details;
    const reset = { token, new_password: goodPassword };
    expect((await world.call("auth/password/reset", reset)).status).toBe(200);
    const ada = withSession((await world.signIn()).browser.session ?? null);
    expect((await world.call("auth/invite/accept", { invite_code }, ada)).status).toBe(200);
    const { results } = (await world.call("projects/list", {}, ada)).body;
    expect(results).toMatchObject([{ project_id: world.projectId, role: "admin" }]);
  });

  test("without an address no account is created", async () => {
    const world = await startSsoWorld(kind, { just_in_time: true });
    world.idp.person = { sub: "subject-1" };
    world.idp.userinfo = { sub: "subject-1" };
    expect((await world.signIn()).code).toBe("sso_no_account");
  });
});
