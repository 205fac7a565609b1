import { expect, test } from "vitest";
import { permissions } from "../../test/support/app.ts";
import { fillDirectory, type ScimTeam, startScim } from "../../test/support/scim/scim.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";

/** "Groups map to project roles in the same transaction; memberships that come from a group … refuse manual edits." */

const grant = (team: ScimTeam, groupId: string, ...roles: [projectId: string, ...actions: string[]][]) =>
  team.call(
    `directory/groups/${groupId}/roles`,
    {
      directory_id: team.directoryId,
      roles: roles.map(([project_id, ...actions]) => ({ project_id, permissions: permissions(...actions) })),
    },
    { as: team.owner },
  );

/** A person's role in the project's list and whether a group gave it, or null for a person who is no member. */
async function membershipOf(
  team: ScimTeam,
  userId: string,
  projectId = team.projectId,
): Promise<[string, boolean] | null> {
  const { body } = await team.call("auth/users/list", { limit: 100 }, { as: team.owner, project: projectId });
  const found = body.results.find((each: { user_id: string }) => each.user_id === userId);
  return found ? [found.role, found.managed] : null;
}

describeOnBothStores("roles from groups", (kind) => {
  test("change at once with joining, leaving, several groups and a deleted group", async () => {
    const team = await startScim(kind);
    const ada = await team.user("ada");
    const editors = await team.group("Editors", [ada.id]);
    const admins = await team.group("Admins");
    expect(await membershipOf(team, ada.id)).toBeNull();
    expect((await grant(team, editors.id, [team.projectId, "role:editor"])).status).toBe(200);
    await grant(team, admins.id, [team.projectId, "admin"]);
    expect(await membershipOf(team, ada.id)).toEqual(["editor", true]);
    await team.patch(`/Groups/${admins.id}`, { op: "add", path: "members", value: [{ value: ada.id }] });
    expect(await membershipOf(team, ada.id)).toEqual(["admin", true]);
    await team.patch(`/Groups/${admins.id}`, { op: "remove", path: `members[value eq "${ada.id}"]` });
    expect(await membershipOf(team, ada.id)).toEqual(["editor", true]);
    await grant(team, editors.id, [team.projectId, "role:viewer"]);
    expect(await membershipOf(team, ada.id)).toEqual(["viewer", true]);
    await team.scim("DELETE", `/Groups/${editors.id}`);
    expect(await membershipOf(team, ada.id)).toBeNull();
  });

  test("joining is a row in the project's audit log: by a group that grants a role, and by a role for a group", async () => {
    const team = await startScim(kind);
    const [ada, bob] = [await team.user("ada"), await team.user("bob")];
    const group = await team.group("Editors", [ada.id, bob.id]);
    const newest = async () => (await team.call("audit/list", {}, team.inProject(team.owner))).body.results[0];
    await grant(team, group.id, [team.projectId, "role:editor"]);
    const details = { group_id: group.id, display_name: "Editors" };
    const both = { ...details, people: 2, user_ids: expect.arrayContaining([ada.id, bob.id]) };
    expect(await newest()).toMatchObject({ action: "user.joined", target: group.id, details: both });
    const carl = await team.user("carl");
    await team.patch(`/Groups/${group.id}`, { op: "add", path: "members", value: [{ value: carl.id }] });
    const one = { action: "user.joined", actor: "directory", target: carl.id, details: { ...details, people: 1 } };
    expect(await newest()).toMatchObject(one);
    // A member of it joins nothing.
    const { seq } = await newest();
    await grant(team, group.id, [team.projectId, "role:viewer"]);
    expect((await newest()).seq).toBe(seq);
  });

  test("a member's API key follows their groups on the next call", async () => {
    const team = await startScim(kind);
    const bob = await team.colleague("bob");
    const linked = await team.user("bob", { emails: [{ value: bob.email, primary: true }] });
    expect(linked.id).toBe(bob.userId);
    const group = await team.group("Viewers", [bob.userId]);
    await grant(team, group.id, [team.projectId, "role:viewer"]);
    const list = async () => (await team.call("auth/users/list", {}, team.inProject(bob))).status;
    expect(await list()).toBe(200);
    await team.scim("PUT", `/Groups/${group.id}`, { displayName: "Viewers", members: [] });
    expect(await list()).toBe(404);
  });

  test("a membership from a group refuses manual edits with 409; leaving the group restores the earlier membership", async () => {
    const team = await startScim(kind);
    const bob = await team.colleague("bob", "admin");
    await team.user("bob", { emails: [{ value: bob.email, primary: true }] });
    const group = await team.group("Viewers", [bob.userId]);
    await grant(team, group.id, [team.projectId, "role:viewer"]);
    expect(await membershipOf(team, bob.userId)).toEqual(["viewer", true]);
    for (const [operation, body] of [
      ["update", { permissions: permissions("admin") }],
      ["delete", {}],
    ] as const) {
      const answer = await team.call(`auth/users/${bob.userId}/${operation}`, body, team.inProject(team.owner));
      expect([answer.status, answer.body.code]).toEqual([409, "managed_by_directory"]);
    }
    await team.patch(`/Groups/${group.id}`, { op: "remove", path: "members" });
    expect(await membershipOf(team, bob.userId)).toEqual(["admin", false]);
    const changed = await team.call(
      `auth/users/${bob.userId}/update`,
      { permissions: permissions("role:editor") },
      team.inProject(team.owner),
    );
    expect(changed.status).toBe(200);
  });

  test("are set by the organization's owner alone, for projects of the organization alone", async () => {
    const team = await startScim(kind);
    const { id } = await team.group("Editors");
    const next = await team.neighbour();
    const foreign = await grant(team, id, [next.projectId, "admin"]);
    expect([foreign.status, foreign.body.code]).toEqual([404, "project_not_found"]);
    const unknown = await grant(team, "grp_us_none", [team.projectId, "admin"]);
    expect([unknown.status, unknown.body.code]).toEqual([404, "group_not_found"]);
    const admin = await team.colleague("admin", "admin");
    const body = { directory_id: team.directoryId, roles: [] };
    const refused = await team.call(`directory/groups/${id}/roles`, body, { as: admin });
    expect([refused.status, refused.body.code]).toEqual([403, "owner_required"]);
    const stranger = await team.call(`directory/groups/${id}/roles`, body, { as: next.owner });
    expect([stranger.status, stranger.body.code]).toEqual([404, "directory_not_found"]);
    const twice = await grant(team, id, [team.projectId, "admin"], [team.projectId, "role:viewer"]);
    expect(twice.status).toBe(422);
    const { body: listed } = await team.call(
      "directory/groups/list",
      { directory_id: team.directoryId },
      { as: team.owner },
    );
    expect(listed.results).toMatchObject([{ group_id: id, display_name: "Editors", members: 0, roles: [] }]);
  });

  test("thousands of members gain a membership in one call, and lose it in one", async () => {
    const team = await startScim(kind);
    const count = 3000;
    const ids = await fillDirectory(team, count);
    const group = await team.group("Everybody");
    await grant(team, group.id, [team.projectId, "role:viewer", "role:editor"]);
    const value = ids.map((id) => ({ value: id }));
    expect((await team.patch(`/Groups/${group.id}`, { op: "add", path: "members", value })).status).toBe(204);
    const memberships = () =>
      team.store.query(
        "select actions, role, count(*) as people from memberships where managed = 1 group by actions, role",
      );
    expect(await memberships()).toEqual([{ actions: "role:viewer role:editor", role: "editor", people: count }]);
    expect((await team.patch(`/Groups/${group.id}`, { op: "remove", path: "members", value })).status).toBe(200);
    expect(await memberships()).toEqual([]);
  });
});
