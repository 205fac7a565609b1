import { expect, test } from "vitest";
import { fillDirectory, startScim } from "../../test/support/scim/scim.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";

const addresses = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ value: `a${from + index}@x.example` }));

describeOnBothStores("limits of one SCIM call", (kind) => {
  test("a list that grows with each PATCH stays within its limit", async () => {
    const team = await startScim(kind);
    const { id } = await team.user("ada", { emails: addresses(0, 600) });
    const add = (from: number, count: number) => ({ op: "add", path: "emails", value: addresses(from, count) });
    const refused = await team.patch(`/Users/${id}`, add(600, 300), add(900, 300));
    expect([refused.status, refused.body.scimType]).toEqual([400, "invalidValue"]);
    expect((await team.scim("GET", `/Users/${id}`)).body.emails).toHaveLength(600);
    // A value that is already in the list is not added again.
    const same = await team.patch(`/Users/${id}`, ...Array.from({ length: 100 }, () => add(0, 600)));
    expect([same.status, same.body.emails.length]).toEqual([200, 600]);
    const none = { op: "remove", path: "emails", value: addresses(1000, 900) };
    expect((await team.patch(`/Users/${id}`, ...Array.from({ length: 50 }, () => none))).body.emails).toHaveLength(600);
  });

  test("a PATCH with thousands of operations on a user is refused", async () => {
    const team = await startScim(kind);
    const { id } = await team.user("ada");
    const operations = Array.from({ length: 501 }, () => ({ op: "replace", path: "title", value: "x" }));
    const refused = await team.patch(`/Users/${id}`, ...operations);
    expect([refused.status, refused.body.scimType]).toEqual([400, "tooMany"]);
    expect((await team.patch(`/Users/${id}`, ...operations.slice(1))).status).toBe(200);
  });

  test("a PATCH scans a group's members a few times, not thousands of times", async () => {
    const team = await startScim(kind);
    const ada = await team.user("ada");
    const group = await team.group("All", [ada.id]);
    const look = (name: string) => ({ op: "remove", path: `members[display eq "${name}"]` });
    const looks = Array.from({ length: 21 }, (_, index) => look(`nobody ${index}`));
    const refused = await team.patch(`/Groups/${group.id}`, ...looks, look("ada"));
    expect([refused.status, refused.body.scimType]).toEqual([400, "tooMany"]);
    const named = Array.from({ length: 2000 }, () => ({ op: "remove", path: 'members[value eq "usr_nobody"]' }));
    expect((await team.patch(`/Groups/${group.id}`, ...named, look("ada"))).status).toBe(200);
    expect((await team.scim("GET", `/Groups/${group.id}`)).body.members ?? []).toEqual([]);
  });

  test("a page of large groups holds fewer groups, and the next page continues after it", async () => {
    const team = await startScim(kind);
    await fillDirectory(team, 12_000);
    const ids: string[] = [];
    for (const name of ["a", "b", "c"]) ids.push((await team.group(name)).id);
    await team.store.transaction((db) =>
      db.query(
        `insert into directory_group_members (group_id, user_id)
         select g.id, p.user_id from directory_groups g, directory_people p`,
      ),
    );
    const seen: string[] = [];
    for (let page = 0; page < 5 && seen.length < 3; page++) {
      const { body } = await team.scim("GET", `/Groups?startIndex=${seen.length + 1}`);
      expect([body.totalResults, body.itemsPerPage]).toEqual([3, 1]);
      seen.push(...body.Resources.map((each: { id: string }) => each.id));
    }
    expect(seen).toEqual(ids);
    expect((await team.scim("GET", "/Groups?excludedAttributes=members")).body.itemsPerPage).toBe(3);
  });
});
