import { expect, test } from "vitest";
import { groupUrn, patchUrn, type ScimTeam, startScim } from "../../test/support/scim/scim.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";

const membersOf = async ({ scim }: ScimTeam, id: string): Promise<string[]> =>
  ((await scim("GET", `/Groups/${id}`)).body.members ?? []).map(({ value }: { value: string }) => value);

async function people({ user }: ScimTeam, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number++) ids.push((await user(`person${number}`)).id);
  return ids;
}

describeOnBothStores("a group over SCIM", (kind) => {
  test("is created empty, with a vendor's extra schema, and its name is unique in any case", async () => {
    const team = await startScim(kind);
    const answer = await team.scim("POST", "/Groups", {
      schemas: [groupUrn, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
      externalId: "g-1",
      displayName: "Engineers",
      members: [],
      meta: { resourceType: "Group" },
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(answer.body.meta.location);
    expect(answer.body).toMatchObject({
      schemas: [groupUrn],
      externalId: "g-1",
      displayName: "Engineers",
      members: [],
    });
    const { status, body: refusal } = await team.scim("POST", "/Groups", { displayName: "ENGINEERS" });
    expect([status, refusal.scimType]).toEqual([409, "uniqueness"]);
    for (const body of [{}, { displayName: "" }, { displayName: "x", members: [{ display: "no id" }] }]) {
      const { status, body: refusal } = await team.scim("POST", "/Groups", body);
      expect([status, refusal.scimType]).toEqual([400, "invalidValue"]);
    }
    expect((await team.scim("GET", '/Groups?filter=displayName%20eq%20"engineers"')).body.totalResults).toBe(1);
    expect((await team.scim("GET", '/Groups?filter=externalId%20eq%20"G-1"')).body.totalResults).toBe(0);
  });

  test("members are shown with name and address, users with their groups, and both can be left out", async () => {
    const team = await startScim(kind);
    const ada = await team.user("ada", { displayName: "Ada L" });
    const made = await team.group("Engineers", [ada.id]);
    const member = { value: ada.id, $ref: ada.meta.location, display: "Ada L", type: "User" };
    expect(made.members).toEqual([member]);
    const { groups } = (await team.scim("GET", `/Users/${ada.id}`)).body;
    expect(groups).toEqual([{ value: made.id, $ref: made.meta.location, display: "Engineers", type: "direct" }]);
    // "Entra sends `excludedAttributes=members` on every group read".
    const without = (await team.scim("GET", `/Groups/${made.id}?excludedAttributes=members`)).body;
    expect(without).not.toHaveProperty("members");
    expect((await team.scim("GET", "/Groups?excludedAttributes=members")).body.Resources).toEqual([without]);
    const filters: [path: string, total: number][] = [
      [`/Users?filter=groups.value eq "${made.id}"`, 1],
      [`/Users?filter=groups.display eq "engineers"`, 1],
      [`/Users?filter=groups[value eq "${made.id}" and display sw "x"]`, 0],
      [`/Groups?filter=members[value eq "${ada.id}"]`, 1],
      [`/Groups?filter=members.display eq "ADA L" and members.type eq "user"`, 1],
      [`/Groups?filter=not (members pr)`, 0],
    ];
    for (const [path, total] of filters) {
      const [target = "", filter = ""] = path.split("?filter=");
      const { body } = await team.scim("GET", `${target}?filter=${encodeURIComponent(filter)}`);
      expect([path, body.totalResults]).toEqual([path, total]);
    }
  });

  test("PATCH adds and removes members in every form that providers send, and returns the group", async () => {
    const team = await startScim(kind);
    const [a = "", b = "", c = "", d = ""] = await people(team, 4);
    const { id } = await team.group("Engineers", [a]);
    const steps: [what: string, operations: unknown[], after: string[]][] = [
      ["adding with $ref null", [{ op: "Add", path: "members", value: [{ value: b, $ref: null }] }], [a, b]],
      [
        "adding a person who is a member",
        [{ op: "add", path: "members", value: [{ value: a }, { value: a }] }],
        [a, b],
      ],
      ["adding without a path", [{ op: "add", value: { members: [{ value: c }, { value: d }] } }], [a, b, c, d]],
      ["the old form removes only those", [{ op: "Remove", path: "members", value: [{ value: a }] }], [b, c, d]],
      ["the new form", [{ op: "remove", path: `members[value eq "${b}"]` }], [c, d]],
      ["somebody who is not in", [{ op: "remove", path: `members[value eq "${b}"]` }], [c, d]],
      ["by another filter", [{ op: "remove", path: `members[display eq "person2"]` }], [d]],
      [
        "a full list, then pairs",
        [
          { op: "replace", path: "members", value: [{ value: a }, { value: b }] },
          { op: "add", path: "members", value: [{ value: c }] },
          { op: "remove", path: `members[value eq "${a}"]` },
        ],
        [b, c],
      ],
      ["fully qualified", [{ op: "add", path: `${groupUrn}:members`, value: [{ value: d }] }], [b, c, d]],
      ["without a value, everybody goes", [{ op: "remove", path: "members" }], []],
    ];
    for (const [what, operations, after] of steps) {
      const answer = await team.patch(`/Groups/${id}`, ...operations);
      const shown = answer.body.members.map(({ value }: { value: string }) => value);
      expect([what, answer.status, shown]).toEqual([what, 200, after.toSorted()]);
      expect([what, await membersOf(team, id)]).toEqual([what, after.toSorted()]);
    }
  });

  test("an unknown member is 400 invalidValue, and the call changes nothing", async () => {
    const team = await startScim(kind);
    const [a = ""] = await people(team, 1);
    const { id } = await team.group("Engineers", [a]);
    const elsewhere = (await team.call("directory/create", { label: "Other" }, { as: team.owner })).body.scim_token;
    const foreign = await team.scim("POST", "/Users", { userName: "x" }, { authorization: `Bearer ${elsewhere}` });
    for (const unknown of ["usr_us_none", foreign.body.id, team.owner.userId, id, "__proto__"]) {
      const patched = await team.patch(
        `/Groups/${id}`,
        { op: "replace", path: "displayName", value: "Renamed" },
        { op: "remove", path: "members" },
        { op: "add", path: "members", value: [{ value: unknown }] },
      );
      expect([unknown, patched.status, patched.body.scimType]).toEqual([unknown, 400, "invalidValue"]);
      const put = await team.scim("PUT", `/Groups/${id}`, { displayName: "Renamed", members: [{ value: unknown }] });
      expect([unknown, put.status, put.body.scimType]).toEqual([unknown, 400, "invalidValue"]);
    }
    expect(await membersOf(team, id)).toEqual([a]);
    expect((await team.scim("GET", `/Groups/${id}`)).body.displayName).toBe("Engineers");
  });

  test("a rename with the id inside the value; another id is mutability", async () => {
    const team = await startScim(kind);
    const { id } = await team.group("Engineers");
    const renamed = await team.patch(`/Groups/${id}`, { op: "replace", value: { id, displayName: "Builders" } });
    expect([renamed.status, renamed.body.displayName]).toEqual([200, "Builders"]);
    const asked = await team.scim("PATCH", `/Groups/${id}?attributes=displayName`, {
      schemas: [patchUrn],
      Operations: [{ op: "replace", path: "displayName", value: "Makers" }],
    });
    expect([asked.status, asked.body]).toEqual([200, { schemas: [groupUrn], id, displayName: "Makers" }]);
    const refusals: [operation: unknown, scimType: string][] = [
      [{ op: "replace", value: { id: "grp_other", displayName: "x" } }, "mutability"],
      [{ op: "remove", path: "displayName" }, "mutability"],
      [{ op: "replace", path: "displayName", value: "" }, "invalidValue"],
      [{ op: "replace", path: "members.display", value: "x" }, "mutability"],
      [{ op: "replace", path: 'members[value eq "x"].display', value: "x" }, "invalidPath"],
      [{ op: "add", path: "__proto__", value: "x" }, "invalidPath"],
      [{ op: "remove" }, "noTarget"],
    ];
    for (const [operation, scimType] of refusals) {
      const { status, body } = await team.patch(`/Groups/${id}`, operation);
      expect([operation, status, body.scimType]).toEqual([operation, 400, scimType]);
    }
    expect((await team.scim("GET", `/Groups/${id}`)).body.displayName).toBe("Makers");
  });

  test("PUT replaces name and members; DELETE is 204, then 404", async () => {
    const team = await startScim(kind);
    const [a = "", b = ""] = await people(team, 2);
    const { id } = await team.group("Engineers", [a]);
    const put = await team.scim("PUT", `/Groups/${id}`, { id, displayName: "Builders", members: [{ value: b }] });
    expect([put.status, put.body.displayName, put.body.members.length]).toEqual([200, "Builders", 1]);
    expect(await membersOf(team, id)).toEqual([b]);
    await team.scim("PUT", `/Groups/${id}`, { displayName: "Builders" });
    expect(await membersOf(team, id)).toEqual([]);
    expect((await team.scim("DELETE", `/Groups/${id}`)).status).toBe(204);
    expect((await team.scim("DELETE", `/Groups/${id}`)).status).toBe(404);
    expect((await team.patch(`/Groups/${id}`, { op: "remove", path: "members" })).status).toBe(404);
  });

  test("a body of more than 1 MiB is accepted, in one transaction", async () => {
    const team = await startScim(kind);
    const [a = ""] = await people(team, 1);
    const { id } = await team.group("Everybody");
    const filler = { $ref: `http://idp.example/${"x".repeat(200)}`, display: "y".repeat(300) };
    const value = Array.from({ length: 2500 }, () => ({ value: a, ...filler }));
    const body = { schemas: [patchUrn], Operations: [{ op: "replace", path: "members", value }] };
    expect(JSON.stringify(body).length).toBeGreaterThan(1024 * 1024);
    expect((await team.scim("PATCH", `/Groups/${id}`, body)).status).toBe(200);
    expect(await membersOf(team, id)).toEqual([a]);
  });
});
