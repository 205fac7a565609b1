import { expect, test } from "vitest";
import type { TestPerson } from "../../test/support/app.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import {
  asRole,
  everythingIn,
  expectRefused,
  expectSameRefusal,
  expectWrongRegion,
  startTeam,
  type Team,
  type TestRole,
} from "../../test/support/team.ts";
import { newInviteCode } from "../kernel/ids.ts";
import { newApiKey } from "./callers/api-key-format.ts";

const invite = async ({ call, owner }: Team, guest: TestPerson, project: string, role: TestRole): Promise<string> => {
  const wanted = { email: guest.email.toUpperCase(), permissions: asRole(role) };
  return (await call("auth/invite/create", wanted, { as: owner, project })).body.invite_code;
};
const accept = ({ call }: Team, as: TestPerson, invite_code: string) =>
  call("auth/invite/accept", { invite_code }, { as });
const rowsOf = async ({ call }: Team, options: object) =>
  (await call("audit/list", { whole_organization: true }, options)).body.results;

describeOnBothStores("accept an invite", (kind) => {
  test("creates an account in the inviting organization, with a key that is shown once", async () => {
    const team = await startTeam(kind);
    const { owner: guest, projectId: home } = await team.neighbour();
    const code = await invite(team, guest, team.projectId, "editor");
    const answer = await accept(team, guest, code);
    const { user_id, api_key } = answer.body;
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        project_id: team.projectId,
        organization_id: team.owner.organizationId,
        user_id: expect.stringMatching(/^usr_us_/),
        api_key: expect.stringMatching(/^sbk_us_[0-9A-Za-z]{49}$/),
      },
    ]);
    const info = await team.call("auth/info", {}, { authorization: `Bearer :${api_key}` });
    expect(info.body).toMatchObject({
      user: { user_id, email: guest.email, organization_role: "member" },
      projects: [{ project_id: team.projectId, role: "editor" }],
    });
    // "API keys belong to an account and reach all of it", and nothing beyond: neither key opens the other's project.
    expect((await team.call("projects/get", {}, team.inProject(guest))).body.code).toBe("project_not_found");
    const crossed = await team.call("projects/get", {}, { authorization: `Bearer ${home}:${api_key}` });
    expect(crossed.body.code).toBe("project_not_found");
    expect(await everythingIn(team.store)).not.toContain(api_key);
  });

  test("is in both organizations' audit logs", async () => {
    const team = await startTeam(kind);
    const { owner: guest, projectId: home } = await team.neighbour();
    const code = await invite(team, guest, team.projectId, "viewer");
    const { user_id } = (await accept(team, guest, code)).body;
    expect(await team.lastAudit()).toMatchObject({
      action: "user.joined",
      project_id: team.projectId,
      // Not the guest's id in the other organization, which this one must not learn.
      user_id,
      target: user_id,
      details: { email: guest.email, invite_code: code },
    });
    const [newest] = await rowsOf(team, { as: guest, project: home });
    expect(newest).toMatchObject({
      action: "invite.accepted",
      user_id: guest.userId,
      target: code,
      details: { organization_id: team.owner.organizationId },
    });
    for (const options of [team.inProject(team.owner), { as: guest, project: home }]) {
      expect((await team.call("audit/verify", {}, options)).body.valid).toBe(true);
    }
  });

  test("in the person's own organization, joining is a row in the project's audit log", async () => {
    const team = await startTeam(kind);
    const member = await team.colleague("member");
    // The address was another's when the invite was made, as after a change by the directory.
    const code = await invite(team, { ...member, email: "old@example.com" }, team.projectId, "viewer");
    const moved = "update invites set email_key = $1 where email_key = 'old@example.com'";
    await team.store.transaction((db) => db.query(moved, [member.email]));
    expect((await accept(team, member, code)).body).toMatchObject({ project_id: team.projectId });
    const { results } = (await team.call("audit/list", {}, team.inProject(team.owner))).body;
    const details = { email: member.email, invite_code: code };
    expect(results[0]).toMatchObject({ action: "user.joined", target: member.userId, details });
    expect(await team.lastAudit()).toMatchObject({ action: "invite.accepted", target: code });
    expect((await team.call("audit/verify", {}, team.inProject(team.owner))).body.valid).toBe(true);
  });

  test("also accepts all other pending invites of that organization, each with its own role", async () => {
    const team = await startTeam(kind);
    const { owner: guest } = await team.neighbour();
    const second = await team.project(team.owner);
    const code = await invite(team, guest, team.projectId, "viewer");
    await invite(team, guest, second, "admin");
    const { api_key } = (await accept(team, guest, code)).body;
    const info = await team.call("auth/info", {}, { authorization: `Bearer :${api_key}` });
    expect(info.body.projects).toMatchObject([
      { project_id: team.projectId, role: "viewer" },
      { project_id: second, role: "admin" },
    ]);
  });

  test("another person's invite looks absent, even with its code", async () => {
    const team = await startTeam(kind);
    const { owner: guest } = await team.neighbour();
    const thief = await team.person("thief@example.net");
    const code = await invite(team, guest, team.projectId, "admin");
    const before = await everythingIn(team.store);
    const absent = await accept(team, thief, newInviteCode("us"));
    expect(absent.status).toBe(404);
    for (const as of [thief, team.owner]) {
      expectSameRefusal("invite_not_found", await accept(team, as, code), absent);
    }
    expectWrongRegion(await accept(team, guest, newInviteCode("eu")), "eu");
    const elsewhere = { authorization: `Bearer :${newApiKey("au")}` };
    expectWrongRegion(await team.call("auth/invite/accept", { invite_code: code }, elsewhere), "au");
    expect(await everythingIn(team.store)).toBe(before);
  });

  test("works once, in time, and not after the invite was deleted", async () => {
    const team = await startTeam(kind);
    const { owner: guest } = await team.neighbour();
    const deleted = await invite(team, guest, team.projectId, "viewer");
    await team.call("auth/invite/delete", { invite_code: deleted }, team.inProject(team.owner));
    const code = await invite(team, guest, team.projectId, "viewer");
    team.advance(7 * 86_400);
    await expectRefused(team, "auth/invite/accept", { as: guest }, [
      [{ invite_code: deleted }, 404, "invite_not_found"],
      [{ invite_code: code }, 410, "invite_expired"],
      [{}, 400, "malformed_request", "#/invite_code"],
      [{ invite_code: "\u0000" }, 422, "validation_failed", "#/invite_code"],
    ]);
    await team.call("auth/invite/resend", { invite_code: code }, team.inProject(team.owner));
    const { user_id } = (await accept(team, guest, code)).body;
    const again = await accept(team, guest, code);
    expect(again.body).toMatchObject({ status: 409, code: "invite_already_accepted", user_id });
  });

  test("20 concurrent calls create one account and one membership", async () => {
    const team = await startTeam(kind);
    const { owner: guest } = await team.neighbour();
    const code = await invite(team, guest, team.projectId, "viewer");
    const answers = await Promise.all(Array.from({ length: 20 }, () => accept(team, guest, code)));
    expect(answers.map((each) => each.status).sort()).toEqual([200, ...Array(19).fill(409)]);
    expect((await team.call("auth/users/list", {}, team.inProject(team.owner))).body.results).toHaveLength(2);
  });

  test("concurrently with a second invite, it creates one membership and leaves no open invite", async () => {
    const team = await startTeam(kind);
    const { call, owner, inProject } = team;
    for (let round = 0; round < 5; round++) {
      const guest = await team.person(`guest${round}@example.org`);
      const code = await invite(team, guest, team.projectId, "viewer");
      const again = { email: guest.email, permissions: asRole("admin") };
      const [accepted, invited] = await Promise.all([
        accept(team, guest, code),
        call("auth/invite/create", again, inProject(owner)),
      ]);
      expect([accepted.status, invited.status]).toEqual([200, 409]);
    }
    const people = (await call("auth/users/list", {}, inProject(owner))).body.results;
    expect(people.map((each: { role: string }) => each.role)).toEqual(["admin", ...Array(5).fill("viewer")]);
    const invites = (await call("auth/invite/list", {}, inProject(owner))).body.results;
    expect(invites.map((each: { status: string }) => each.status)).toEqual(Array(5).fill("accepted"));
  });

  test("concurrently with a replacement of the invite, the person gets one role or the other, or none yet", async () => {
    const team = await startTeam(kind);
    const { call, owner, inProject } = team;
    for (let round = 0; round < 6; round++) {
      const guest = await team.person(`guest${round}@example.org`);
      const code = await invite(team, guest, team.projectId, "viewer");
      const replace = async () => {
        await call("auth/invite/delete", { invite_code: code }, inProject(owner));
        return invite(team, guest, team.projectId, "admin");
      };
      const [accepted] = await Promise.all([accept(team, guest, code), replace()]);
      const people = (await call("auth/users/list", {}, inProject(owner))).body.results;
      const roles = people.filter((each: { email: string }) => each.email === guest.email);
      const open = (await call("auth/invite/list", {}, inProject(owner))).body.results.filter(
        (each: { email: string; status: string }) =>
          each.email === guest.email.toUpperCase() && each.status === "pending",
      );
      if (accepted.status === 200) expect([roles, open]).toMatchObject([[{ role: "viewer" }], []]);
      else expect([accepted.status, roles, open]).toMatchObject([404, [], [{ permissions: asRole("admin") }]]);
    }
  });
});
