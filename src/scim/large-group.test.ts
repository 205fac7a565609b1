import { expect, test } from "vitest";
import { fillDirectory, patchUrn, startScim } from "../../test/support/scim/scim.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { asRole } from "../../test/support/team.ts";

const membersAll = 10_000;
const batchMembers = 2000;

describeOnBothStores("a group of 10,000 people", (kind) => {
  test("is filled in batches, read, reduced by one or by many, and deleted, and roles follow", async () => {
    const team = await startScim(kind);
    const ids = await fillDirectory(team, membersAll);
    const { id } = await team.group("Everybody");
    const roles = [{ project_id: team.projectId, permissions: asRole("viewer") }];
    const wish = { directory_id: team.directoryId, roles };
    expect((await team.call(`directory/groups/${id}/roles`, wish, { as: team.owner })).status).toBe(200);

    // The response to a PATCH does not include thousands of members.
    const patch = async (...operations: unknown[]) =>
      expect(await team.patch(`/Groups/${id}`, ...operations)).toMatchObject({
        status: 204,
        headers: { etag: expect.stringMatching(/^W\/"/) },
      });
    const expectMembers = async (expected: string[]) => {
      const { body } = await team.scim("GET", `/Groups/${id}`);
      expect(body.members.map(({ value }: { value: string }) => value)).toEqual(expected.toSorted());
      const [managed] = await team.store.query("select count(*) as count from memberships where managed = 1");
      expect(managed).toEqual({ count: expected.length });
    };

    for (let from = 0; from < membersAll; from += batchMembers) {
      const value = ids.slice(from, from + batchMembers).map((each) => ({ value: each }));
      await patch({ op: "add", path: "members", value });
    }
    await expectMembers(ids);

    await patch({ op: "remove", path: `members[value eq "${ids[0]}"]` });
    const asked = await team.scim("PATCH", `/Groups/${id}?excludedAttributes=members`, {
      schemas: [patchUrn],
      Operations: [{ op: "replace", path: "displayName", value: "Everyone" }],
    });
    expect([asked.status, asked.body.displayName, asked.body.members]).toEqual([200, "Everyone", undefined]);
    await patch(...ids.slice(1, 50).map((each) => ({ op: "Remove", path: "members", value: [{ value: each }] })));
    await expectMembers(ids.slice(50));

    expect((await team.scim("DELETE", `/Groups/${id}`)).status).toBe(204);
    expect(await team.store.query("select 1 from directory_group_members")).toEqual([]);
    expect(await team.store.query("select 1 from memberships where managed = 1")).toEqual([]);
  });
});
