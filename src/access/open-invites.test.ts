import { expect, test } from "vitest";
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
} from "../../test/support/team.ts";
import { newInviteCode } from "../kernel/ids.ts";

const day = 86_400;
const daysBetween = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);

const wanted = { email: "new@example.com", permissions: asRole("viewer") };
const invite = async ({ call, inProject, owner }: Team, email = wanted.email, role = wanted.permissions) =>
  (await call("auth/invite/create", { email, permissions: role }, inProject(owner))).body.invite_code as string;
const invitesOf = async ({ call, inProject, owner }: Team) =>
  (await call("auth/invite/list", {}, inProject(owner))).body.results;

describeOnBothStores("delete an invite", (kind) => {
  // "The roles on an existing invite cannot be edited. To change them, delete the invite and create a new one."
  test("allows a new invite with other roles, and is final", async () => {
    const team = await startTeam(kind);
    const { call, inProject, owner } = team;
    const invite_code = await invite(team);
    const answer = await call("auth/invite/delete", { invite_code }, inProject(owner));
    expect([answer.status, answer.body]).toEqual([200, { invite_code, deleted: true }]);
    expect(await team.lastAudit()).toMatchObject({
      action: "invite.deleted",
      target: invite_code,
      project_id: team.projectId,
    });
    const again = await call("auth/invite/delete", { invite_code }, inProject(owner));
    expect([again.status, again.body.code]).toEqual([404, "invite_not_found"]);

    await invite(team, wanted.email, asRole("admin"));
    expect(await invitesOf(team)).toMatchObject([{ email: wanted.email, permissions: asRole("admin") }]);
  });

  test("another project's and another organization's invite look absent", async () => {
    const team = await startTeam(kind);
    const { call, owner, inProject } = team;
    const invite_code = await invite(team);
    const sibling = { as: owner, project: await team.project(owner) };
    const next = await team.neighbour();
    const before = await everythingIn(team.store);
    const absent = await call("auth/invite/delete", { invite_code: newInviteCode("us") }, inProject(owner));
    for (const options of [sibling, { as: next.owner, project: next.projectId }]) {
      expectSameRefusal("invite_not_found", await call("auth/invite/delete", { invite_code }, options), absent);
      expectSameRefusal("invite_not_found", await call("auth/invite/resend", { invite_code }, options), absent);
    }
    expect(await everythingIn(team.store)).toBe(before);
  });

  test("an accepted invite is refused with the id of the person to remove; an expired one is deleted", async () => {
    const team = await startTeam(kind);
    const member = await team.colleague("member");
    const invite_code = await invite(team, member.email);
    const refused = await team.call("auth/invite/delete", { invite_code }, team.inProject(team.owner));
    expect(refused.body).toMatchObject({ status: 409, code: "invite_already_accepted", user_id: member.userId });
    const expired = await invite(team);
    team.advance(8 * day);
    expect((await team.call("auth/invite/delete", { invite_code: expired }, team.inProject(team.owner))).status).toBe(
      200,
    );
  });

  test("only an admin may, and only with a code", async () => {
    const team = await startTeam(kind);
    const invite_code = await invite(team);
    await expectGuarded(team, "auth/invite/delete", { invite_code }, "admin");
    await expectRefused(team, "auth/invite/delete", team.inProject(team.owner), [
      [{}, 400, "malformed_request", "#/invite_code"],
      [{ invite_code: 7 }, 400, "malformed_request", "#/invite_code"],
      [{ invite_code: "" }, 422, "validation_failed", "#/invite_code"],
      [{ invite_code: "inv_us_\u0000" }, 422, "validation_failed", "#/invite_code"],
      [{ invite_code: newInviteCode("eu") }, 404, "invite_not_found"],
    ]);
  });
});

describeOnBothStores("list and resend invites", (kind) => {
  test("an admin reads every invite of the project, page by page", async () => {
    const team = await startTeam(kind);
    const codes = [];
    for (const name of ["a", "b", "c"]) codes.push(await invite(team, `${name}@example.com`));
    const pages = await allPages(team.call, "auth/invite/list", { limit: 2 }, team.inProject(team.owner));
    expect(pages.map((page) => page.map((each) => each.invite_code))).toEqual([codes.slice(0, 2), [codes[2]]]);
    expect(pages[0]?.[0]).toEqual({
      invite_code: codes[0],
      project_id: team.projectId,
      email: "a@example.com",
      permissions: asRole("viewer"),
      status: "pending",
      invited_by: team.owner.userId,
      created_at: aTime,
      expires_at: aTime,
      sent_at: aTime,
      sent_count: 1,
      accepted_at: null,
      user_id: null,
    });
    await expectGuarded(team, "auth/invite/list", {}, "admin");
  });

  test("resending mails the same code again and extends its expiry, also of an expired invite", async () => {
    const team = await startTeam(kind);
    const invite_code = await invite(team);
    const [before] = await invitesOf(team);
    team.advance(8 * day);
    const answer = await team.call("auth/invite/resend", { invite_code }, team.inProject(team.owner));
    const { expires_at, sent_at } = answer.body;
    expect([answer.status, answer.body]).toEqual([
      200,
      { ...before, status: "pending", sent_count: 2, sent_at, expires_at },
    ]);
    expect(daysBetween(sent_at, expires_at)).toBe(7);
    expect(await invitesOf(team)).toEqual([answer.body]);
    expect(await team.store.query("select recipient from mails")).toHaveLength(2);
    expect(await team.lastAudit()).toMatchObject({
      action: "invite.resent",
      target: invite_code,
      project_id: team.projectId,
    });
  });

  test("only an admin resends, and only open invites", async () => {
    const team = await startTeam(kind);
    const member = await team.colleague("member");
    const invite_code = await invite(team, member.email);
    await expectGuarded(team, "auth/invite/resend", { invite_code }, "admin");
    await expectRefused(team, "auth/invite/resend", team.inProject(team.owner), [
      [{ invite_code }, 409, "invite_already_accepted"],
      [{ invite_code, expires_at: "2020-01-01T00:00:00Z" }, 422, "validation_failed", "#/expires_at"],
      [{ invite_code: newInviteCode("us") }, 404, "invite_not_found"],
      [{}, 400, "malformed_request", "#/invite_code"],
    ]);
  });
});
