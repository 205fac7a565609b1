import { expect, test } from "vitest";
import { permissions } from "../../test/support/app.ts";
import { startScim } from "../../test/support/scim/scim.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { asRole, type BadInput, expectGuarded, expectRefused, startTeam, type Team } from "../../test/support/team.ts";

const day = 86_400;
const daysBetween = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
const anInviteCode = expect.stringMatching(/^inv_us_[0-9a-z]{14}[0-9A-Za-z]{43}$/);

const wanted = { email: "new@example.com", permissions: asRole("viewer") };
const invite = async ({ call, inProject, owner }: Team, email = wanted.email, role = wanted.permissions) =>
  (await call("auth/invite/create", { email, permissions: role }, inProject(owner))).body.invite_code as string;
const peopleOf = async ({ call, inProject, owner }: Team) =>
  (await call("auth/users/list", {}, inProject(owner))).body.results as { email: string; role: string }[];
const invitesOf = async ({ call, inProject, owner }: Team) =>
  (await call("auth/invite/list", {}, inProject(owner))).body.results;

describeOnBothStores("create an invite", (kind) => {
  test("a new person gets a code and no access yet", async () => {
    const team = await startTeam(kind);
    const { owner, projectId } = team;
    const answer = await team.call("auth/invite/create", wanted, team.inProject(owner));
    expect([answer.status, answer.body]).toEqual([200, { invite_code: anInviteCode }]);
    expect((await peopleOf(team)).map((each) => each.email)).toEqual(["owner@example.com"]);
    expect(await team.lastAudit()).toMatchObject({
      action: "invite.created",
      user_id: owner.userId,
      project_id: projectId,
      target: answer.body.invite_code,
      details: { email: "new@example.com", actions: ["role:viewer"] },
      request_id: answer.headers["x-request-id"],
    });
  });

  // "When the invited user is already a member of the organization, the invite is accepted automatically."
  test("a member of the organization joins at once, with exactly the role of the invite", async () => {
    const team = await startTeam(kind);
    const member = await team.colleague("member");
    const code = await invite(team, "MEMBER@Example.com", permissions("role:viewer", "role:editor"));
    const seen = await team.call("projects/list", {}, { as: member });
    expect(seen.body.results).toMatchObject([{ project_id: team.projectId, role: "editor" }]);
    expect(await invitesOf(team)).toMatchObject([{ invite_code: code, status: "accepted", user_id: member.userId }]);
    const joined = { action: "invite.created", project_id: team.projectId, details: { joined: member.userId } };
    expect(await team.lastAudit()).toMatchObject(joined);
  });

  test("so does a person whom a directory sent, or who came by an invite from an organization with one", async () => {
    const team = await startScim(kind);
    const primary = (value: string) => ({ emails: [{ value, type: "work", primary: true }] });
    await team.user("ada", primary("ada@example.com"));
    await invite(team, "ada@example.com");
    expect((await peopleOf(team)).map((each) => each.email)).toContain("ada@example.com");
    // The other organization has no directory, so nothing there says again whose the address is.
    const bob = await team.colleague("bob");
    await team.user("bob", primary(bob.email));
    const { owner, projectId } = await team.neighbour();
    const second = await team.project(owner, "Second");
    const wish = { email: bob.email, permissions: asRole("viewer") };
    const { body } = await team.call("auth/invite/create", wish, { as: owner, project: projectId });
    const there = (await team.call("auth/invite/accept", { invite_code: body.invite_code }, { as: bob })).body;
    await team.call("auth/invite/create", wish, { as: owner, project: second });
    const seen = await team.call("projects/list", {}, { authorization: `Bearer :${there.api_key}` });
    const ids = seen.body.results.map((each: { project_id: string }) => each.project_id);
    expect(ids.sort()).toEqual([projectId, second].sort());
  });

  test("bad input is refused, and nothing is kept", async () => {
    const team = await startTeam(kind);
    const actions = (map: unknown) => ({ ...wanted, permissions: { items: { platformDefault: { actions: map } } } });
    const inMap = "#/permissions/items/platformDefault/actions";
    const bad: BadInput[] = [
      [{ ...wanted, email: undefined }, 400, "malformed_request", "#/email"],
      [{ ...wanted, email: ["new@example.com"] }, 400, "malformed_request", "#/email"],
      [{ ...wanted, permissions: undefined }, 400, "malformed_request", "#/permissions"],
      [{ ...wanted, permissions: [] }, 400, "malformed_request", "#/permissions"],
      [{ ...wanted, permissions: {} }, 400, "malformed_request", "#/permissions/items"],
      [actions({ admin: "true" }), 400, "malformed_request", `${inMap}/admin`],
      [actions({ owner: true }), 422, "validation_failed", `${inMap}/owner`],
      [actions({ "role:viewer": true, "role:a/b~c": true }), 422, "validation_failed", `${inMap}/role:a~1b~0c`],
      [actions({ admin: false }), 422, "validation_failed", inMap],
      [{ ...wanted, permissions: { items: { other: {} } } }, 422, "validation_failed", "#/permissions/items/other"],
      [{ ...wanted, email: "Ada <ada@example.com>" }, 422, "validation_failed", "#/email"],
      [{ ...wanted, email: "ada@exam\r\nple.com" }, 422, "validation_failed", "#/email"],
      [{ ...wanted, expires_at: "tomorrow" }, 422, "validation_failed", "#/expires_at"],
      [{ ...wanted, expires_at: "2020-01-01T00:00:00Z" }, 422, "validation_failed", "#/expires_at"],
    ];
    await expectRefused(team, "auth/invite/create", team.inProject(team.owner), bad);
  });

  // A popular library is vulnerable to this: a member called __proto__ reaches the prototype of every object.
  test("__proto__ and constructor are no names of scopes or actions, and no prototype is touched", async () => {
    const team = await startTeam(kind);
    const bodyWith = (items: string) => `{"email":"new@example.com","permissions":{"items":{${items}}}}`;
    const bad = ["__proto__", "constructor"].flatMap((key): BadInput[] => {
      const scope = `"platformDefault":{"actions":{"role:viewer":true}},"${key}":{"actions":{"admin":true}}`;
      const action = `"platformDefault":{"actions":{"role:viewer":true,"${key}":{"admin":true}}}`;
      const pointer = "#/permissions/items";
      return [
        [bodyWith(scope), 422, "validation_failed", `${pointer}/${key}`],
        [bodyWith(action), 422, "validation_failed", `${pointer}/platformDefault/actions/${key}`],
      ];
    });
    await expectRefused(team, "auth/invite/create", team.inProject(team.owner), bad);
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test("unknown members of the body have no effect", async () => {
    const team = await startTeam(kind);
    const other = await team.neighbour();
    const forged = {
      invite_code: "mine",
      project_id: other.projectId,
      organization_id: other.owner.organizationId,
      user_id: other.owner.userId,
      status: "accepted",
      role: "admin",
      created_by: other.owner.userId,
    };
    await team.call("auth/invite/create", { ...wanted, ...forged }, team.inProject(team.owner));
    expect(await invitesOf(team)).toMatchObject([
      {
        invite_code: anInviteCode,
        project_id: team.projectId,
        status: "pending",
        user_id: null,
        invited_by: team.owner.userId,
      },
    ]);
  });

  test("only an admin of the project may", async () => {
    await expectGuarded(await startTeam(kind), "auth/invite/create", wanted, "admin");
  });

  test("an address has one open invite: a second call returns the code needed to delete it", async () => {
    const team = await startTeam(kind);
    const code = await invite(team);
    await expectRefused(team, "auth/invite/create", team.inProject(team.owner), [
      [{ ...wanted, email: " NEW@example.COM " }, 409, "invite_already_pending"],
    ]);
    const again = await team.call("auth/invite/create", wanted, team.inProject(team.owner));
    expect(again.body.invite_code).toBe(code);
  });

  test("addresses that differ in dots and plus signs are different people", async () => {
    const team = await startTeam(kind);
    await invite(team);
    for (const email of ["n.ew@example.com", "new+1@example.com"]) {
      expect((await team.call("auth/invite/create", { ...wanted, email }, team.inProject(team.owner))).status).toBe(
        200,
      );
    }
  });

  test("50 concurrent calls for one address create one invite and one mail, and all return its code", async () => {
    const team = await startTeam(kind);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => team.call("auth/invite/create", wanted, team.inProject(team.owner))),
    );
    expect(answers.map((each) => each.status).sort()).toEqual([200, ...Array(49).fill(409)]);
    expect(new Set(answers.map((each) => each.body.invite_code)).size).toBe(1);
    expect(await team.store.query("select recipient from mails")).toEqual([{ recipient: "new@example.com" }]);
  });

  test("an invite never changes a role: a member of the project is refused", async () => {
    const team = await startTeam(kind);
    const viewer = await team.colleague("viewer", "viewer");
    const answer = await team.call(
      "auth/invite/create",
      { ...wanted, email: viewer.email },
      team.inProject(team.owner),
    );
    expect(answer.body).toMatchObject({ status: 409, code: "already_member", user_id: viewer.userId });
    expect(await peopleOf(team)).toMatchObject([{ role: "admin" }, { role: "viewer" }]);
  });

  test("a deactivated colleague cannot be invited", async () => {
    const team = await startTeam(kind);
    const gone = await team.colleague("gone");
    const goneButInside = await team.colleague("inside", "viewer");
    for (const person of [gone, goneButInside]) await team.deactivate(person);
    await expectRefused(team, "auth/invite/create", team.inProject(team.owner), [
      [{ ...wanted, email: gone.email }, 409, "user_deactivated"],
      [{ ...wanted, email: goneButInside.email }, 409, "user_deactivated"],
    ]);
  });

  test("responses for strangers, members and people of other organizations look alike", async () => {
    const team = await startTeam(kind);
    await team.colleague("member");
    const { owner: elsewhere } = await team.neighbour();
    await team.deactivate(elsewhere);
    const texts = [];
    for (const email of ["unknown@example.com", "member@example.com", elsewhere.email]) {
      const answer = await team.call("auth/invite/create", { ...wanted, email }, team.inProject(team.owner));
      expect(answer.status).toBe(200);
      texts.push(answer.text.replace(answer.body.invite_code, "x".repeat(answer.body.invite_code.length)));
    }
    expect(new Set(texts).size).toBe(1);
  });

  test("an invite expires after 7 days by default, and an expired one is replaced by a new one", async () => {
    const team = await startTeam(kind);
    const first = await invite(team);
    const [record] = await invitesOf(team);
    expect(daysBetween(record.created_at, record.expires_at)).toBe(7);
    team.advance(7 * day);
    expect(await invitesOf(team)).toMatchObject([{ invite_code: first, status: "expired" }]);
    const expires_at = new Date(team.now().getTime() + 3_600_000).toISOString();
    const again = await team.call("auth/invite/create", { ...wanted, expires_at }, team.inProject(team.owner));
    expect(again.status).toBe(200);
    expect(await invitesOf(team)).toMatchObject([
      { invite_code: again.body.invite_code, expires_at, status: "pending" },
    ]);
  });
});
