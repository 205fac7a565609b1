import { expect, test } from "vitest";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { asRole, everythingIn, expectSameRefusal, startTeam, type Team } from "../../test/support/team.ts";
import { newId } from "../kernel/ids.ts";

/** "A key is owned by a user and carries no rights of its own: rights = owner's current role, capped by the key's scope." */

const narrowedKey = async ({ call, owner }: Team, wanted: object, as = owner): Promise<string> =>
  (await call("auth/keys/create", wanted, { as })).body.api_key;
const invite = { email: "new@example.com", permissions: asRole("viewer") };

describeOnBothStores("a key narrowed to a role", (kind) => {
  test("reads the project with any role, and invites with none below admin", async () => {
    const team = await startTeam(kind);
    for (const [max_role, expected] of [
      ["viewer", "admin_required"],
      ["editor", "admin_required"],
      ["admin", 200],
    ]) {
      const authorization = `Bearer ${team.projectId}:${await narrowedKey(team, { max_role })}`;
      expect((await team.call("projects/get", {}, { authorization })).status).toBe(200);
      const answer = await team.call("auth/invite/create", invite, { authorization });
      expect([max_role, answer.body.code ?? answer.status]).toEqual([max_role, expected]);
    }
  });

  test("never lifts its owner, and follows every change of their role", async () => {
    const team = await startTeam(kind);
    const member = await team.colleague("member", "viewer");
    const authorization = `Bearer ${team.projectId}:${await narrowedKey(team, { max_role: "admin" }, member)}`;
    const tryIt = async () => (await team.call("auth/invite/list", {}, { authorization })).body.code;
    expect(await tryIt()).toBe("admin_required");
    await team.call(`auth/users/${member.userId}/update`, { permissions: asRole("admin") }, team.inProject(team.owner));
    expect(await tryIt()).toBeUndefined();
    await team.call(`auth/users/${member.userId}/delete`, {}, team.inProject(team.owner));
    expect(await tryIt()).toBe("project_not_found");
  });
});

describeOnBothStores("a key narrowed to projects", (kind) => {
  test("does its owner's work in those, and the others look absent", async () => {
    const team = await startTeam(kind);
    const apiKey = await narrowedKey(team, { project_ids: [team.projectId, team.projectId] });
    const reached = (await team.call("projects/list", {}, { authorization: `Bearer :${apiKey}` })).body.results;
    expect(reached).toMatchObject([{ project_id: team.projectId }]);
    const other = await team.project(team.owner);
    const read = (project: string) => team.call("projects/get", {}, { authorization: `Bearer ${project}:${apiKey}` });
    expect((await read(team.projectId)).status).toBe(200);
    expectSameRefusal("project_not_found", await read(other), await read(newId("project", "us")));
    const named = { authorization: `Bearer ${team.projectId}:${apiKey}` };
    expect((await team.call("auth/invite/create", invite, named)).status).toBe(200);
    expect((await team.call("projects/update", { project_id: other, name: "Mine" }, named)).body.code).toBe(
      "project_not_found",
    );
  });

  test("gains nothing by naming a project its owner cannot see", async () => {
    const team = await startTeam(kind);
    const { owner: stranger } = await team.neighbour();
    const apiKey = await narrowedKey(team, { project_ids: [team.projectId] }, stranger);
    const answer = await team.call("projects/get", {}, { authorization: `Bearer ${team.projectId}:${apiKey}` });
    expect(answer.body.code).toBe("project_not_found");
  });
});

describeOnBothStores("a narrowed key of an organization's owner", (kind) => {
  test("does nothing that concerns the whole account", async () => {
    const team = await startTeam(kind);
    const project = { name: "New", description: "", organization_id: team.owner.organizationId };
    for (const wanted of [{ max_role: "admin" }, { max_role: "viewer" }, { project_ids: [team.projectId] }]) {
      const authorization = `Bearer :${await narrowedKey(team, wanted)}`;
      const before = await everythingIn(team.store);
      for (const [operation, body] of [
        ["projects/create", project],
        ["auth/keys/create", {}],
        ["auth/keys/list", {}],
        ["auth/keys/revoke", { key_id: "key_us_1" }],
        ["auth/keys/reroll", { key_id: "key_us_1" }],
        ["auth/keys/enable", { key_id: "key_us_1" }],
        ["auth/invite/accept", { invite_code: "inv_us_1" }],
        ["organizations/update", { name: "Taken over" }],
      ] as const) {
        const answer = await team.call(operation, body, { authorization });
        expect([operation, answer.status, answer.body.code]).toEqual([operation, 403, "key_restricted"]);
      }
      expect(await everythingIn(team.store)).toBe(before);
    }
  });

  test("sees the audit rows of its projects, and not those of the whole organization", async () => {
    const team = await startTeam(kind);
    const hidden = await team.project(team.owner, "Hidden");
    for (const wanted of [{ project_ids: [team.projectId] }, { max_role: "admin" }]) {
      const authorization = `Bearer ${team.projectId}:${await narrowedKey(team, wanted)}`;
      const own = await team.call("audit/list", {}, { authorization });
      expect([own.status, own.text.includes(hidden)]).toEqual([200, false]);
      for (const operation of ["audit/list", "audit/export"]) {
        const whole = await team.call(operation, { whole_organization: true }, { authorization });
        expect([whole.status, whole.body.code]).toEqual([403, "key_restricted"]);
      }
    }
  });
});
