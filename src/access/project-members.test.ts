import { expect, test } from "vitest";
import { permissions } from "../../test/support/app.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import {
  allPages,
  asRole,
  aTime,
  everythingIn,
  expectGuarded,
  expectRefused,
  expectSameRefusal,
  startTeam,
  type Team,
  type TestRole,
} from "../../test/support/team.ts";
import { newId } from "../kernel/ids.ts";

const update = (userId: string) => `auth/users/${userId}/update`;
const toRole = (role: TestRole) => ({ permissions: asRole(role) });
const rolesOf = async ({ call, inProject, owner }: Team) =>
  (await call("auth/users/list", {}, inProject(owner))).body.results.map((each: { role: string }) => each.role);

describeOnBothStores("update a person's role", (kind) => {
  test("replaces all earlier permissions, and applies to the next call", async () => {
    const team = await startTeam(kind);
    const { call, inProject, owner, projectId } = team;
    const member = await team.colleague("member", "admin");
    expect((await call("auth/invite/list", {}, inProject(member))).status).toBe(200);

    const answer = await call(update(member.userId), toRole("viewer"), inProject(owner));
    expect([answer.status, answer.body]).toEqual([200, { user_id: member.userId, permissions: asRole("viewer") }]);
    expect((await call("auth/invite/list", {}, inProject(member))).body.code).toBe("admin_required");
    expect(await team.lastAudit()).toMatchObject({
      action: "user.role_changed",
      user_id: owner.userId,
      project_id: projectId,
      target: member.userId,
      details: { actions: ["role:viewer"] },
      request_id: answer.headers["x-request-id"],
    });
  });

  test("several actions add up to the strongest; false grants nothing and is not kept", async () => {
    const team = await startTeam(kind);
    const member = await team.colleague("member", "admin");
    const actions = { "role:viewer": true, "role:editor": true, admin: false };
    const wanted = { permissions: { items: { platformDefault: { actions } } } };
    const answer = await team.call(update(member.userId), wanted, team.inProject(team.owner));
    expect(answer.body.permissions).toEqual(permissions("role:viewer", "role:editor"));
    expect(await rolesOf(team)).toEqual(["admin", "editor"]);
  });

  // "User role update: <project_id>:<api_key>. The shape given for this call omits the word Bearer."
  test("accepts the header without Bearer, with it, and with a region at its end", async () => {
    const team = await startTeam(kind);
    const { owner, projectId } = team;
    const member = await team.colleague("member", "admin");
    const key = `${projectId}:${owner.apiKey}`;
    for (const authorization of [key, `Bearer ${key}`, `bearer   ${key}`, `${key}:us`]) {
      expect((await team.call(update(member.userId), toRole("viewer"), { authorization })).status).toBe(200);
    }
  });

  test("bad input is refused, and the role stays", async () => {
    const team = await startTeam(kind);
    const member = await team.colleague("member", "viewer");
    const inMap = "#/permissions/items/platformDefault/actions";
    const actions = (map: unknown) => ({ permissions: { items: { platformDefault: { actions: map } } } });
    await expectRefused(team, update(member.userId), team.inProject(team.owner), [
      [{}, 400, "malformed_request", "#/permissions"],
      [{ permissions: "admin" }, 400, "malformed_request", "#/permissions"],
      [
        { permissions: { items: { platformDefault: null } } },
        400,
        "malformed_request",
        "#/permissions/items/platformDefault",
      ],
      [actions({ admin: 1 }), 400, "malformed_request", `${inMap}/admin`],
      [actions({}), 422, "validation_failed", inMap],
      [actions({ "role:viewer": false }), 422, "validation_failed", inMap],
      [actions({ "role:owner": true }), 422, "validation_failed", `${inMap}/role:owner`],
      [{ permissions: { items: {} } }, 422, "validation_failed", inMap],
    ]);
    const nothing = await team.call(update(member.userId), actions({}), team.inProject(team.owner));
    expect(nothing.body.errors).toMatchObject([{ pointer: inMap, code: "nothing_granted" }]);
  });

  test("only an admin of the project may", async () => {
    const team = await startTeam(kind);
    const member = await team.colleague("member", "viewer");
    await expectGuarded(team, update(member.userId), toRole("admin"), "admin");
  });

  test("people who are not in this project look absent, wherever else they are", async () => {
    const team = await startTeam(kind);
    const { call, inProject, owner } = team;
    const elsewhere = await team.colleague("elsewhere");
    await team.project(elsewhere);
    const next = await team.neighbour();
    const before = await everythingIn(team.store);
    const absent = await call(update(newId("user", "us")), toRole("admin"), inProject(owner));
    expect(absent.status).toBe(404);
    for (const id of [elsewhere.userId, next.owner.userId, newId("user", "eu"), "__proto__", "x", "%00", "%20"]) {
      expectSameRefusal("user_not_found", await call(update(id), toRole("admin"), inProject(owner)), absent);
    }
    expect(await everythingIn(team.store)).toBe(before);
  });

  test("the path names the person, whatever the body says", async () => {
    const team = await startTeam(kind);
    const member = await team.colleague("member", "viewer");
    const forged = { ...toRole("editor"), user_id: team.owner.userId, role: "admin", status: "active" };
    const answer = await team.call(update(member.userId), forged, team.inProject(team.owner));
    expect(answer.body.user_id).toBe(member.userId);
    expect(await rolesOf(team)).toEqual(["admin", "editor"]);
  });
});

describeOnBothStores("the last admin of a project", (kind) => {
  test("cannot be demoted until there is another admin", async () => {
    const team = await startTeam(kind);
    const { owner, inProject } = team;
    const editor = await team.colleague("editor", "editor");
    await expectRefused(team, update(owner.userId), inProject(owner), [[toRole("editor"), 409, "last_admin"]]);
    expect(
      (await team.call(update(owner.userId), { permissions: permissions("admin", "role:viewer") }, inProject(owner)))
        .status,
    ).toBe(200);
    await team.call(update(editor.userId), toRole("admin"), inProject(owner));
    expect((await team.call(update(owner.userId), toRole("viewer"), inProject(editor))).status).toBe(200);
    expect(await rolesOf(team)).toEqual(["viewer", "admin"]);
  });

  test("a deactivated admin, and the organization's owner, do not count as another admin", async () => {
    const team = await startTeam(kind);
    const founder = await team.colleague("founder");
    const project = await team.project(founder);
    const invite = { email: "gone@example.com", permissions: asRole("admin") };
    const gone = await team.colleague("gone");
    await team.call("auth/invite/create", invite, { as: founder, project });
    await team.deactivate(gone);
    await expectRefused(team, update(founder.userId), { as: team.owner, project }, [
      [toRole("viewer"), 409, "last_admin"],
    ]);
    expect((await team.call(update(gone.userId), toRole("viewer"), { as: founder, project })).status).toBe(200);
  });

  // "The organization's owner repairs what is left without an admin."
  test("can be appointed by the organization's owner, who is not in the project", async () => {
    const team = await startTeam(kind);
    const founder = await team.colleague("founder");
    const project = await team.project(founder);
    const heir = await team.colleague("heir");
    await team.call(
      "auth/invite/create",
      { email: heir.email, permissions: asRole("viewer") },
      { as: founder, project },
    );
    expect((await team.deactivate(founder)).projectsWithoutAdmin).toEqual([project]);
    expect((await team.call(update(heir.userId), toRole("admin"), { as: team.owner, project })).status).toBe(200);
    expect((await team.call("auth/invite/list", {}, { as: heir, project })).status).toBe(200);
  });

  test("remains when two admins demote each other concurrently", async () => {
    const team = await startTeam(kind);
    const { owner, inProject, call } = team;
    const other = await team.colleague("other", "admin");
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all([
        call(update(other.userId), toRole("viewer"), inProject(owner)),
        call(update(owner.userId), toRole("viewer"), inProject(other)),
      ]);
      expect(answers.map((each) => each.body.code ?? 200)).toContain(200);
      expect(await rolesOf(team)).toContain("admin");
      // This person is the organization's owner, who may always appoint an admin.
      for (const person of [owner, other]) await call(update(person.userId), toRole("admin"), inProject(owner));
    }
  });
});

describeOnBothStores("list the people of a project", (kind) => {
  test("a viewer sees all members, page by page, including deactivated ones", async () => {
    const team = await startTeam(kind);
    const viewer = await team.colleague("viewer", "viewer");
    const gone = await team.colleague("gone", "editor");
    await team.colleague("outside");
    await team.deactivate(gone);
    const pages = await allPages(team.call, "auth/users/list", { limit: 2 }, team.inProject(viewer));
    expect(pages.map((page) => page.map((each) => [each.user_id, each.active]))).toEqual([
      [
        [team.owner.userId, true],
        [viewer.userId, true],
      ],
      [[gone.userId, false]],
    ]);
    expect(pages[1]?.[0]).toEqual({
      user_id: gone.userId,
      email: "gone@example.com",
      permissions: asRole("editor"),
      role: "editor",
      active: false,
      managed: false,
      created_at: aTime,
    });
  });

  test("a person outside the project sees none", async () => {
    await expectGuarded(await startTeam(kind), "auth/users/list", {}, "viewer");
  });
});
