import { expect, test } from "vitest";
import { startScim } from "../../test/support/scim/scim.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";

describeOnBothStores("lists over SCIM", (kind) => {
  test("pages have startIndex from 1, a count, numbers and not texts, and a stable order", async () => {
    const { user, scim, patch } = await startScim(kind);
    const names = ["e", "d", "c", "b", "a"];
    const ids: string[] = [];
    for (const name of names) ids.push((await user(name)).id);
    const list = async (query: string) => (await scim("GET", `/Users?${query}`)).body;
    const namesOf = (body: { Resources: { userName: string }[] }) => body.Resources.map(({ userName }) => userName);
    expect(await list("")).toMatchObject({ totalResults: 5, startIndex: 1, itemsPerPage: 5 });
    expect(namesOf(await list("startIndex=2&count=2"))).toEqual(["d", "c"]);
    // "startIndex < 1 means 1; count < 0 means 0; count=0 gives totalResults only".
    expect(await list("startIndex=-3&count=2")).toMatchObject({ startIndex: 1, itemsPerPage: 2, totalResults: 5 });
    expect(await list("count=-1")).toMatchObject({ itemsPerPage: 0, Resources: [], totalResults: 5 });
    expect(await list("count=0")).toMatchObject({ itemsPerPage: 0, Resources: [], totalResults: 5 });
    expect(await list("startIndex=6")).toMatchObject({
      itemsPerPage: 0,
      Resources: [],
      totalResults: 5,
      startIndex: 6,
    });
    expect(await list("startIndex=999999999&count=1")).toMatchObject({ Resources: [], totalResults: 5 });
    for (const query of ["startIndex=x", "count=1.5", "count=1e400"]) {
      const answer = await scim("GET", `/Users?${query}`);
      expect([query, answer.status, answer.body.scimType]).toEqual([query, 400, "invalidValue"]);
    }
    // A change between two pages moves no person to another page.
    await patch(`/Users/${ids[3]}`, { op: "replace", path: "userName", value: "zzz" });
    expect(namesOf(await list("startIndex=3&count=2"))).toEqual(["c", "zzz"]);
    expect(namesOf(await list("STARTINDEX=4&Count=1&sortBy=userName"))).toEqual(["zzz"]);
  });

  test("POST to .search finds users, groups and both", async () => {
    const { user, group, scim } = await startScim(kind);
    const ada = await user("ada", { title: "x" });
    await user("bob");
    const team = await group("Team", [ada.id]);
    const search = async (path: string, body: object) => (await scim("POST", path, body)).body;
    expect(await search("/Users/.search", { filter: "title pr", attributes: ["userName"] })).toMatchObject({
      totalResults: 1,
      Resources: [{ schemas: expect.anything(), id: ada.id, userName: "ada" }],
    });
    expect(
      await search("/Groups/.search", { filter: `members.value eq "${ada.id}"`, excludedAttributes: "members" }),
    ).toMatchObject({
      totalResults: 1,
      Resources: [{ id: team.id }],
    });
    expect(await search("/.search", { startIndex: 2, count: 2 })).toMatchObject({
      totalResults: 3,
      itemsPerPage: 2,
      Resources: [{ userName: "bob" }, { displayName: "Team" }],
    });
    expect(await search("/.search", { filter: 'displayName eq "team"' })).toMatchObject({ totalResults: 1 });
    expect(await search("/.search", { filter: 'userName eq "ada"' })).toMatchObject({ totalResults: 1 });
    expect((await scim("POST", "/.search", { filter: "nonsense pr" })).body.scimType).toBe("invalidFilter");
  });
});
