import { expect, test } from "vitest";
import type { TestPerson } from "../../test/support/app.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import {
  asRole,
  everythingIn,
  expectGuarded,
  expectRefused,
  expectSameRefusal,
  startTeam,
} from "../../test/support/team.ts";
import { newId } from "../kernel/ids.ts";

const remove = (person: TestPerson) => `auth/users/${person.userId}/delete`;

describeOnBothStores("remove a person from a project", (kind) => {
  test("they lose access to this project at once, and to nothing else", async () => {
    const team = await startTeam(kind);
    const { call, inProject, owner, projectId } = team;
    const member = await team.colleague("member", "editor");
    const other = await team.project(member);

    const answer = await call(remove(member), {}, inProject(owner));
    expect([answer.status, answer.body]).toEqual([
      200,
      { user_id: member.userId, removed: true, invites_withdrawn: 0 },
    ]);
    expect((await call("projects/get", {}, inProject(member))).body.code).toBe("project_not_found");
    const info = await call("auth/info", {}, { as: member });
    expect(info.body.projects).toMatchObject([{ project_id: other, role: "admin" }]);
    expect(await team.lastAudit()).toMatchObject({
      action: "user.removed",
      user_id: owner.userId,
      project_id: projectId,
      target: member.userId,
      details: { invites_withdrawn: 0 },
      request_id: answer.headers["x-request-id"],
    });
    const again = await call(remove(member), {}, inProject(owner));
    expect([again.status, again.body.code]).toEqual([404, "user_not_found"]);
  });

  test("their pending invites here are withdrawn, those in other projects stay", async () => {
    const team = await startTeam(kind);
    const { call, inProject, owner } = team;
    const member = await team.colleague("member", "admin");
    const joined = await team.colleague("joined");
    const elsewhere = { as: member, project: await team.project(member) };
    const invite = (email: string) => ({ email, permissions: asRole("viewer") });
    await call("auth/invite/create", invite("a@example.com"), inProject(member));
    await call("auth/invite/create", invite(joined.email), inProject(member));
    await call("auth/invite/create", invite("b@example.com"), inProject(owner));
    await call("auth/invite/create", invite("c@example.com"), elsewhere);

    expect((await call(remove(member), {}, inProject(owner))).body.invites_withdrawn).toBe(1);
    const left = await call("auth/invite/list", {}, inProject(owner));
    const emails = left.body.results.map((each: { email: string }) => each.email);
    expect(emails).toEqual(["member@example.com", "joined@example.com", "b@example.com"]);
    expect((await call("auth/invite/list", {}, elsewhere)).body.results).toMatchObject([{ email: "c@example.com" }]);
    expect((await call("projects/get", {}, inProject(joined))).status).toBe(200);
  });

  test("they may be invited again", async () => {
    const team = await startTeam(kind);
    const member = await team.colleague("member", "admin");
    await team.call(remove(member), {}, team.inProject(team.owner));
    const wanted = { email: member.email, permissions: asRole("viewer") };
    expect((await team.call("auth/invite/create", wanted, team.inProject(team.owner))).status).toBe(200);
    const info = await team.call("auth/info", {}, { as: member });
    expect(info.body.projects).toMatchObject([{ project_id: team.projectId, role: "viewer" }]);
  });

  test("only an admin of the project may, and not with a body that is no object", async () => {
    const team = await startTeam(kind);
    const member = await team.colleague("member", "viewer");
    await expectGuarded(team, remove(member), {}, "admin");
    await expectRefused(team, remove(member), team.inProject(team.owner), [
      ["", 400, "malformed_request"],
      ["null", 400, "malformed_request"],
      ["[]", 400, "malformed_request"],
    ]);
  });

  test("people who are not in this project look absent, wherever else they are", async () => {
    const team = await startTeam(kind);
    const { call, inProject, owner, store } = team;
    const elsewhere = await team.colleague("elsewhere");
    await team.project(elsewhere);
    const next = await team.neighbour();
    const before = await everythingIn(store);
    const absent = await call(`auth/users/${newId("user", "us")}/delete`, {}, inProject(owner));
    for (const person of [elsewhere, next.owner]) {
      expectSameRefusal("user_not_found", await call(remove(person), {}, inProject(owner)), absent);
    }
    expect(await everythingIn(store)).toBe(before);
  });

  test("the last active admin cannot be removed; a deactivated admin can", async () => {
    const team = await startTeam(kind);
    const gone = await team.colleague("gone", "admin");
    await team.deactivate(gone);
    await expectRefused(team, remove(team.owner), team.inProject(team.owner), [[{}, 409, "last_admin"]]);
    expect((await team.call(remove(gone), {}, team.inProject(team.owner))).status).toBe(200);
  });

  test("of two admins who remove each other concurrently, one stays", async () => {
    const team = await startTeam(kind);
    const { call, owner } = team;
    const [one, two] = [await team.colleague("one"), await team.colleague("two")];
    const project = await team.project(one);
    const asAdmin = (person: TestPerson) => ({ email: person.email, permissions: asRole("admin") });
    await call("auth/invite/create", asAdmin(two), { as: one, project });
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all([
        call(remove(two), {}, { as: one, project }),
        call(remove(one), {}, { as: two, project }),
      ]);
      expect(answers.map((each) => each.status).sort()).toEqual([200, 404]);
      const { results } = (await call("auth/users/list", {}, { as: owner, project })).body;
      expect(results).toMatchObject([{ role: "admin", active: true }]);
      const removed = results[0].user_id === one.userId ? two : one;
      await call("auth/invite/create", asAdmin(removed), { as: owner, project });
    }
  });
});
