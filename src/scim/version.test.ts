import { expect, test } from "vitest";
import { type ScimTeam, startScim } from "../../test/support/scim/scim.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { deactivateUser, reactivateUser } from "../access/deactivation.ts";
import { operatorScope } from "../access/operator.ts";

const versionOf = async ({ scim }: ScimTeam, path: string): Promise<string> => {
  const { status, headers, body } = await scim("GET", path);
  expect([status, headers.etag]).toEqual([200, body.meta.version]);
  return String(headers.etag);
};

/** RFC 7644, 3.14. */
describeOnBothStores("versions of resources", (kind) => {
  test("every response with a resource has an `ETag` equal to its `meta.version`", async () => {
    const team = await startScim(kind);
    const { scim } = team;
    const made = await scim("POST", "/Users", { userName: "ada" });
    const path = `/Users/${made.body.id}`;
    expect(made.headers.etag).toMatch(/^W\/"[\w-]{22}"$/);
    expect(await versionOf(team, path)).toBe(made.headers.etag);
    const put = await scim("PUT", path, { userName: "ada", title: "x" });
    const patched = await team.patch(path, { op: "replace", path: "title", value: "y" });
    const group = await scim("POST", "/Groups", { displayName: "G" });
    const renamed = await team.patch(`/Groups/${group.body.id}`, { op: "replace", value: { displayName: "H" } });
    const tags = [made, put, patched, group, renamed].map(({ headers }) => headers.etag);
    expect(new Set(tags).size).toBe(5);
    for (const answer of [put, patched, group, renamed]) expect(answer.headers.etag).toBe(answer.body.meta.version);
    // A list includes the version of each resource. With fewer attributes, a single resource still has its `ETag`.
    const { body } = await scim("GET", "/Users?excludedAttributes=groups");
    expect(body.Resources[0].meta.version).toBe(patched.headers.etag);
    expect((await scim("GET", `${path}?attributes=userName`)).headers.etag).toBe(patched.headers.etag);
    const filter = encodeURIComponent('meta.version eq "x"');
    expect((await scim("GET", `/Users?filter=${filter}`)).body.scimType).toBe("invalidFilter");
  });

  test("change with every visible change of a person, and with nothing else", async () => {
    const team = await startScim(kind);
    const { id } = await team.user("ada", { title: "t" });
    const other = await team.user("bob");
    const group = await team.group("Engineers");
    const scope = () => operatorScope(team.store, "us", team.now);
    const member = (op: string) => team.patch(`/Groups/${group.id}`, { op, path: "members", value: [{ value: id }] });
    const steps: [what: string, does: () => Promise<unknown>, changes: boolean][] = [
      ["an attribute", () => team.patch(`/Users/${id}`, { op: "replace", path: "title", value: "u" }), true],
      ["the same again", () => team.patch(`/Users/${id}`, { op: "replace", path: "title", value: "u" }), false],
      ["back to what it was", () => team.patch(`/Users/${id}`, { op: "replace", path: "title", value: "t" }), true],
      ["joining a group", () => member("add"), true],
      ["joining once more", () => member("add"), false],
      [
        "a new name of the group",
        () => team.patch(`/Groups/${group.id}`, { op: "add", value: { displayName: "E" } }),
        true,
      ],
      ["leaving it", () => member("remove"), true],
      ["deactivation elsewhere", () => deactivateUser(scope(), id), true],
      ["reactivation elsewhere", () => reactivateUser(scope(), id), true],
      ["somebody else", () => team.patch(`/Users/${other.id}`, { op: "add", path: "title", value: "x" }), false],
    ];
    let before = await versionOf(team, `/Users/${id}`);
    for (const [what, does, changes] of steps) {
      await does();
      const after = await versionOf(team, `/Users/${id}`);
      expect([what, after !== before]).toEqual([what, changes]);
      before = after;
    }
  });

  test("change with every visible change of a group, including its members' names", async () => {
    const team = await startScim(kind);
    const [ada, bob] = [await team.user("ada"), await team.user("bob")];
    const { id } = await team.group("G", [ada.id]);
    const path = `/Groups/${id}`;
    const steps: [what: string, does: () => Promise<unknown>, changes: boolean][] = [
      ["a name", () => team.patch(path, { op: "replace", path: "displayName", value: "H" }), true],
      ["a member more", () => team.patch(path, { op: "add", path: "members", value: [{ value: bob.id }] }), true],
      ["the same member", () => team.patch(path, { op: "add", path: "members", value: [{ value: bob.id }] }), false],
      ["a member's name", () => team.patch(`/Users/${bob.id}`, { op: "add", path: "displayName", value: "Bob" }), true],
      ["a member's title", () => team.patch(`/Users/${bob.id}`, { op: "add", path: "title", value: "x" }), false],
      ["a member deleted", () => team.scim("DELETE", `/Users/${bob.id}`), true],
      ["nobody left", () => team.patch(path, { op: "remove", path: "members" }), true],
    ];
    let before = await versionOf(team, path);
    for (const [what, does, changes] of steps) {
      await does();
      const after = await versionOf(team, path);
      expect([what, after !== before]).toEqual([what, changes]);
      before = after;
    }
  });

  test.each(["/Users", "/Groups"])(
    "%s: If-Match lets a change happen only to the version that was seen",
    async (all) => {
      const team = await startScim(kind);
      const body = { userName: "ada", displayName: "A" };
      const made = await team.scim("POST", all, body);
      const path = `${all}/${made.body.id}`;
      const seen = String(made.headers.etag);
      const rename = { Operations: [{ op: "replace", path: "displayName", value: "B" }] };
      const changed = await team.scim("PATCH", path, rename, { headers: { "if-match": seen } });
      expect([changed.status, changed.body.displayName]).toEqual([200, "B"]);
      for (const header of [seen, '"nonsense"', `"a", ${seen}`, ""]) {
        const headers = { "if-match": header };
        for (const [method, payload] of [["PUT", body], ["PATCH", rename], ["DELETE"], ["GET"]] as const) {
          const refused = await team.scim(method, path, payload, { headers });
          expect([header, method, refused.status, refused.body.status]).toEqual([header, method, 412, "412"]);
        }
      }
      expect((await team.scim("GET", path)).body).toEqual(changed.body);
      // `*`, one of several tags, and a strong tag with the same text.
      const now = String(changed.headers.etag);
      for (const header of ["*", `"x" , ${now}`, now.replace("W/", "")]) {
        const again = await team.scim("PUT", path, { ...body, displayName: "B" }, { headers: { "if-match": header } });
        expect([header, again.status]).toEqual([header, 200]);
      }
      const last = await versionOf(team, path);
      expect((await team.scim("DELETE", path, undefined, { headers: { "if-match": last } })).status).toBe(204);
      expect((await team.scim("DELETE", path, undefined, { headers: { "if-match": "*" } })).status).toBe(404);
    },
  );

  test.each(["/Users", "/Groups"])("%s: If-None-Match with the current version is 304 without a body", async (all) => {
    const team = await startScim(kind);
    const made = await team.scim("POST", all, { userName: "ada", displayName: "A" });
    const path = `${all}/${made.body.id}`;
    const seen = String(made.headers.etag);
    const read = (header: string) => team.scim("GET", path, undefined, { headers: { "if-none-match": header } });
    for (const header of [seen, "*", `"x", ${seen}`]) {
      const { status, text, headers } = await read(header);
      expect([header, status, text, headers.etag]).toEqual([header, 304, "", seen]);
    }
    expect((await read('"x"')).status).toBe(200);
    const refused = await team.scim("DELETE", path, undefined, { headers: { "if-none-match": "*" } });
    expect(refused.status).toBe(412);
    await team.patch(path, { op: "replace", path: "displayName", value: "B" });
    expect((await read(seen)).body.displayName).toBe("B");
  });

  test("of two changes with the same If-Match, one succeeds", async () => {
    const team = await startScim(kind);
    const { id, meta } = await team.user("ada");
    const statuses = await Promise.all(
      ["a", "b", "c", "d"].map(async (title) => {
        const wish = { Operations: [{ op: "replace", path: "title", value: title }] };
        return (await team.scim("PATCH", `/Users/${id}`, wish, { headers: { "if-match": meta.version } })).status;
      }),
    );
    expect(statuses.toSorted()).toEqual([200, 412, 412, 412]);
  });

  test("a person created again after a deletion has a new version", async () => {
    const team = await startScim(kind);
    const first = await team.user("ada", { externalId: "E1" });
    await team.scim("DELETE", `/Users/${first.id}`);
    const again = await team.user("ada", { externalId: "E1" });
    expect([again.id, again.meta.version === first.meta.version]).toEqual([first.id, false]);
  });
});
