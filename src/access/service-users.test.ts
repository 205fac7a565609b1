import { expect, test } from "vitest";
import { permissions, type TestPerson } from "../../test/support/app.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { asRole, startTeam, type Team } from "../../test/support/team.ts";

/** "Keys for automation should belong to a service user so that a person leaving does not stop the pipeline." */

async function newServiceUser(team: Team): Promise<{ userId: string; key: string }> {
  const { status, body } = await team.call("auth/service_users/create", { name: "Deployer" }, { as: team.owner });
  expect(status).toBe(200);
  return { userId: body.user_id, key: body.api_key };
}

const by = (key: string, project = "") => ({ authorization: `Bearer ${project}:${key}` });

describeOnBothStores("a service user", (kind) => {
  test("has a key of its own, and no project until an admin adds it", async () => {
    const team = await startTeam(kind);
    const { userId, key } = await newServiceUser(team);
    expect((await team.call("auth/users/list", {}, by(key, team.projectId))).body.code).toBe("project_not_found");
    const add = { user_id: userId, permissions: permissions("role:editor") };
    expect((await team.call("auth/service_users/add", add, team.inProject(team.owner))).status).toBe(200);
    expect((await team.call("auth/users/list", {}, by(key, team.projectId))).status).toBe(200);
    const again = await team.call("auth/service_users/add", add, team.inProject(team.owner));
    expect([again.status, again.body.code]).toEqual([409, "already_member"]);
  });

  test("is a member like any other: its role changes, and it is removed", async () => {
    const team = await startTeam(kind);
    const { userId, key } = await newServiceUser(team);
    const add = { user_id: userId, permissions: asRole("admin") };
    await team.call("auth/service_users/add", add, team.inProject(team.owner));
    const demote = { permissions: asRole("viewer") };
    await team.call(`auth/users/${userId}/update`, demote, team.inProject(team.owner));
    expect((await team.call("auth/invite/list", {}, by(key, team.projectId))).body.code).toBe("admin_required");
    await team.call(`auth/users/${userId}/delete`, {}, team.inProject(team.owner));
    expect((await team.call("auth/users/list", {}, by(key, team.projectId))).body.code).toBe("project_not_found");
  });

  test("keeps working when the person who created it leaves", async () => {
    const team = await startTeam(kind);
    const { key } = await newServiceUser(team);
    await team.deactivate(team.owner);
    expect((await team.call("auth/info", {}, by(key))).status).toBe(200);
  });

  test("is deactivated by the owner, including its keys, and reactivated", async () => {
    const team = await startTeam(kind);
    const { userId, key } = await newServiceUser(team);
    const off = await team.call("organizations/users/deactivate", { user_id: userId }, { as: team.owner });
    expect([off.status, off.body.keys_deactivated]).toEqual([200, 1]);
    expect((await team.call("auth/info", {}, by(key))).body.code).toBe("owner_deactivated");
    const more = await team.call("auth/service_users/create_key", { user_id: userId }, { as: team.owner });
    expect(more.body.code).toBe("user_deactivated");
    await team.call("organizations/users/reactivate", { user_id: userId }, { as: team.owner });
    const fresh = await team.call("auth/service_users/create_key", { user_id: userId }, { as: team.owner });
    expect((await team.call("auth/info", {}, by(fresh.body.api_key))).body.user_id).toBe(userId);
  });

  test("has keys that its organization's owner lists and revokes, and nobody else", async () => {
    const team = await startTeam(kind);
    const { userId, key } = await newServiceUser(team);
    const wanted = { user_id: userId, label: "second machine", max_role: "viewer", expires_at: "2999-01-01T00:00:00Z" };
    await team.call("auth/service_users/create_key", wanted, { as: team.owner });
    const list = (as: TestPerson) => team.call("auth/service_users/list_keys", { user_id: userId }, { as });
    const { body } = await list(team.owner);
    expect(body.results).toMatchObject([
      { user_id: userId, label: "first key", hint: key.slice(-4), status: "active", expires_at: null },
      { user_id: userId, label: "second machine", max_role: "viewer", status: "active", last_used_at: null },
    ]);
    expect(JSON.stringify(body)).not.toContain(key);
    await team.call("auth/keys/revoke", { key_id: body.results[0].key_id }, { as: team.owner });
    expect((await list(team.owner)).body.results[0]).toMatchObject({ status: "revoked" });
    expect((await team.call("auth/info", {}, by(key))).body.code).toBe("key_revoked");
    expect((await list(await team.colleague("admin", "admin"))).body.code).toBe("owner_required");
    expect((await list((await team.neighbour()).owner)).body.code).toBe("user_not_found");
    const ofAPerson = { user_id: team.owner.userId };
    const person = await team.call("auth/service_users/list_keys", ofAPerson, { as: team.owner });
    expect(person.body.code).toBe("user_not_found");
  });

  test("is created by an owner, visible to the organization, and absent for others", async () => {
    const team = await startTeam(kind);
    const viewer = await team.colleague("viewer", "viewer");
    const refused = await team.call("auth/service_users/create", { name: "Mine" }, { as: viewer });
    expect(refused.body.code).toBe("owner_required");
    const { userId } = await newServiceUser(team);
    const seen = await team.call("auth/service_users/list", {}, { as: viewer });
    expect(seen.body.results).toMatchObject([{ user_id: userId, name: "Deployer", active: true }]);
    const neighbour = await team.neighbour();
    expect((await team.call("auth/service_users/list", {}, { as: neighbour.owner })).body.results).toEqual([]);
    const inTheirs = { as: neighbour.owner, project: neighbour.projectId };
    const add = { user_id: userId, permissions: asRole("viewer") };
    expect((await team.call("auth/service_users/add", add, inTheirs)).body.code).toBe("user_not_found");
    const person = { user_id: viewer.userId, permissions: asRole("viewer") };
    const asService = await team.call("auth/service_users/add", person, team.inProject(team.owner));
    expect(asService.body.code).toBe("user_not_found");
  });
});

describeOnBothStores("people of the organization", (kind) => {
  test("are listed for the owner, deactivated and reactivated", async () => {
    const team = await startTeam(kind);
    const viewer = await team.colleague("viewer", "viewer");
    const list = () => team.call("organizations/users/list", {}, { as: team.owner });
    expect((await list()).body.results.map((each: { user_id: string }) => each.user_id)).toContain(viewer.userId);
    const off = await team.call("organizations/users/deactivate", { user_id: viewer.userId }, { as: team.owner });
    expect(off.body).toMatchObject({ user_id: viewer.userId, active: false });
    expect((await team.call("auth/info", {}, { as: viewer })).body.code).toBe("owner_deactivated");
    const on = await team.call("organizations/users/reactivate", { user_id: viewer.userId }, { as: team.owner });
    expect(on.body).toEqual({ user_id: viewer.userId, active: true, keys_restored: 0 });
  });

  test("an owner appoints another one, and may then step down; the last one may not", async () => {
    const team = await startTeam(kind);
    const heir = await team.colleague("heir");
    const change = (user_id: string, organization_role: string, as = team.owner) =>
      team.call("organizations/users/update", { user_id, organization_role }, { as });
    expect((await change(team.owner.userId, "member")).body.code).toBe("last_owner");
    expect((await change(heir.userId, "owner", heir)).body.code).toBe("owner_required");
    expect((await change(heir.userId, "owner")).body).toMatchObject({
      user_id: heir.userId,
      organization_role: "owner",
    });
    expect((await change(team.owner.userId, "member", heir)).status).toBe(200);
    expect((await change(heir.userId, "member", heir)).body.code).toBe("last_owner");
    const { userId } = await newServiceUser({ ...team, owner: heir });
    expect((await change(userId, "owner", heir)).body.code).toBe("user_not_found");
  });

  test("the last owner cannot be deactivated, and another organization's people look absent", async () => {
    const team = await startTeam(kind);
    const self = { user_id: team.owner.userId };
    const last = await team.call("organizations/users/deactivate", self, { as: team.owner });
    expect([last.status, last.body.code]).toEqual([409, "last_owner"]);
    const theirs = { user_id: (await team.neighbour()).owner.userId };
    for (const word of ["deactivate", "reactivate"]) {
      const answer = await team.call(`organizations/users/${word}`, theirs, { as: team.owner });
      expect([answer.status, answer.body.code]).toEqual([404, "user_not_found"]);
    }
  });

  test("a deactivation adds one audit row, and a webhook receives it", async () => {
    const team = await startTeam(kind);
    const viewer = await team.colleague("viewer", "viewer");
    await team.call("organizations/users/deactivate", { user_id: viewer.userId }, { as: team.owner });
    const { body } = await team.call("audit/list", { whole_organization: true }, team.inProject(team.owner));
    const rows = body.results.filter((row: { action: string }) => row.action === "user.deactivated");
    expect(rows).toMatchObject([{ target: viewer.userId }]);
  });
});
