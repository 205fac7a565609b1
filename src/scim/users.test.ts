import { expect, test } from "vitest";
import { enterpriseUrn, startScim, userUrn } from "../../test/support/scim/scim.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { aTime } from "../../test/support/team.ts";

/** RFC 7643 and 7644 as far as identity providers rely on them. The helper `scim` checks every response against the schemas. */

describeOnBothStores("a user over SCIM", (kind) => {
  test("is created with 201, a Location and the full body", async () => {
    const { scim } = await startScim(kind);
    const answer = await scim("POST", "/Users", {
      schemas: [userUrn, enterpriseUrn],
      userName: "ada@example.com",
      externalId: "ext-1",
      name: { givenName: "Ada", familyName: "Lovelace" },
      emails: [{ value: "ada@example.com", type: "work", primary: true }],
      active: true,
      [enterpriseUrn]: { department: "Engines", manager: { value: "m1" } },
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(answer.body.meta.location);
    expect(answer.body).toEqual({
      schemas: [userUrn, enterpriseUrn],
      id: expect.stringMatching(/^usr_us_/),
      externalId: "ext-1",
      userName: "ada@example.com",
      name: { givenName: "Ada", familyName: "Lovelace" },
      active: true,
      emails: [{ value: "ada@example.com", type: "work", primary: true }],
      [enterpriseUrn]: { department: "Engines", manager: { value: "m1" } },
      meta: {
        resourceType: "User",
        created: aTime,
        lastModified: aTime,
        location: `http://us.test/scim/v2/Users/${answer.body.id}`,
        version: answer.headers.etag,
      },
    });
    const read = await scim("GET", `/Users/${answer.body.id}`);
    expect([read.status, read.body]).toEqual([200, answer.body]);
  });

  test("application/json is accepted too, any other type is 415", async () => {
    const { scim } = await startScim(kind);
    const sent = (contentType: string, userName: string) => scim("POST", "/Users", { userName }, { contentType });
    expect((await sent("application/json; charset=utf-8", "a")).status).toBe(201);
    expect((await sent("application/SCIM+JSON", "b")).status).toBe(201);
    expect((await sent("text/plain", "c")).status).toBe(415);
  });

  test("names in other scripts are returned unchanged", async () => {
    const { user, scim } = await startScim(kind);
    const made = await user("žofie", { displayName: "Žofie 𝒵 Ω", title: "🦊" });
    const { body } = await scim("GET", `/Users?filter=${encodeURIComponent('displayName eq "žofie 𝒵 ω"')}`);
    expect(body.Resources).toMatchObject([{ id: made.id, displayName: "Žofie 𝒵 Ω", title: "🦊" }]);
  });

  test("an invalid body is 400 with the standard's scimType, and nothing is stored", async () => {
    const { scim } = await startScim(kind);
    const bad: [what: string, body: unknown, scimType: string][] = [
      ["no userName", { displayName: "x" }, "invalidValue"],
      ["an empty userName", { userName: "" }, "invalidValue"],
      ["a blank userName", { userName: "  " }, "invalidValue"],
      ["a userName that is an object", { userName: { a: 1 } }, "invalidValue"],
      ["active that is neither true nor false", { userName: "x", active: "yes" }, "invalidValue"],
      ["active that is a number", { userName: "x", active: 0 }, "invalidValue"],
      ["a name that is a text", { userName: "x", name: "Ada" }, "invalidValue"],
      ["the character U+0000", { userName: "x", title: "a\u0000b" }, "invalidValue"],
      ["a userName of 600 characters", { userName: "x".repeat(600) }, "invalidValue"],
      ["prototype names", '{"userName":"x","__proto__":{"polluted":1}}', "invalidValue"],
      ["prototype names inside", '{"userName":"x","name":{"constructor":{"polluted":1}}}', "invalidValue"],
      ["no JSON", "{", "invalidSyntax"],
      ["a list", "[]", "invalidSyntax"],
      ["a member named twice", '{"userName":"a","userName":"b"}', "invalidSyntax"],
      ["an empty body", "", "invalidSyntax"],
      ["nesting without end", `{"userName":"x","a":${"[".repeat(500)}${"]".repeat(500)}}`, "invalidSyntax"],
    ];
    for (const [what, body, scimType] of bad) {
      const answer = await scim("POST", "/Users", body);
      expect([what, answer.status, answer.body.scimType]).toEqual([what, 400, scimType]);
    }
    expect((await scim("GET", "/Users")).body.totalResults).toBe(0);
    expect("polluted" in {}).toBe(false);
  });

  test("409 uniqueness: userName in any case, on create, replace and patch", async () => {
    const { user, scim, patch } = await startScim(kind);
    await user("Ada");
    const other = await user("bob");
    const attempts = [
      scim("POST", "/Users", { userName: "aDA" }),
      scim("PUT", `/Users/${other.id}`, { userName: "ADA" }),
      patch(`/Users/${other.id}`, { op: "replace", path: "userName", value: "ada" }),
    ];
    for (const attempt of attempts) {
      const { status, body } = await attempt;
      expect([status, body.scimType]).toEqual([409, "uniqueness"]);
    }
    expect((await scim("GET", `/Users/${other.id}`)).body).toEqual(other);
  });

  test("PUT ignores readOnly attributes and clears omitted ones, but never `active`", async () => {
    const { user, scim, patch } = await startScim(kind);
    const made = await user("ada", { title: "Countess", nickName: "A", [enterpriseUrn]: { division: "D" } });
    await patch(`/Users/${made.id}`, { op: "replace", value: { active: false } });
    const { status, body } = await scim("PUT", `/Users/${made.id}`, {
      id: "usr_other",
      userName: "Ada",
      title: "Lady",
      groups: [{ value: "grp_none" }],
      meta: { resourceType: "Nonsense", created: "1990-01-01T00:00:00Z" },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: made.id, userName: "Ada", title: "Lady", active: false });
    expect(body.meta).toMatchObject({ resourceType: "User", created: made.meta.created });
    for (const gone of ["nickName", "groups", enterpriseUrn]) expect(body).not.toHaveProperty([gone]);
  });

  test("DELETE is 204, then 404 everywhere, and the id is never used again", async () => {
    const { user, scim, patch } = await startScim(kind);
    const { id } = await user("ada");
    expect((await scim("DELETE", `/Users/${id}`)).status).toBe(204);
    const after = [
      scim("GET", `/Users/${id}`),
      scim("DELETE", `/Users/${id}`),
      scim("PUT", `/Users/${id}`, { userName: "ada" }),
      patch(`/Users/${id}`, { op: "replace", value: { active: true } }),
    ];
    for (const answer of await Promise.all(after)) expect(answer.status).toBe(404);
    expect((await scim("GET", "/Users")).body).toMatchObject({ totalResults: 0, Resources: [] });
    expect((await user("ada")).id).not.toBe(id);
  });

  test("a deactivated user is still read and listed", async () => {
    const { user, scim, patch } = await startScim(kind);
    const { id } = await user("ada");
    await patch(`/Users/${id}`, { op: "replace", path: "active", value: false });
    expect((await scim("GET", `/Users/${id}`)).body.active).toBe(false);
    expect((await scim("GET", "/Users")).body.Resources).toMatchObject([{ id, active: false }]);
  });

  test("a user created inactive has an inactive account", async () => {
    const { user, store } = await startScim(kind);
    const { id } = await user("ada", { active: "False" });
    expect(await store.query("select active from users where id = $1", [id])).toEqual([{ active: 0 }]);
  });

  test("attributes and excludedAttributes select what is returned; id and schemas always are", async () => {
    const { user, scim } = await startScim(kind);
    const emails = [{ value: "a@example.com", type: "work", primary: true }];
    const { id } = await user("ada", {
      emails,
      name: { givenName: "Ada", familyName: "L" },
      [enterpriseUrn]: { division: "D" },
    });
    const keys = async (query: string) => Object.keys((await scim("GET", `/Users/${id}?${query}`)).body).sort();
    expect(await keys("attributes=userName,NAME.givenname")).toEqual(["id", "name", "schemas", "userName"]);
    expect(await keys(`attributes=${enterpriseUrn}:division`)).toEqual(["id", "schemas", enterpriseUrn]);
    expect(await keys(`attributes=${userUrn}:emails,nonsense`)).toEqual(["emails", "id", "schemas"]);
    expect(await keys("excludedAttributes=emails,name,meta,id,schemas")).toEqual(
      ["active", "id", "schemas", enterpriseUrn, "userName"].sort(),
    );
    const part = (await scim("GET", `/Users/${id}?excludedAttributes=emails.type`)).body;
    expect(part.emails).toEqual([{ value: "a@example.com", primary: true }]);
    const named = (await scim("GET", "/Users?attributes=name.familyName")).body.Resources;
    expect(named).toEqual([{ schemas: [userUrn, enterpriseUrn], id, name: { familyName: "L" } }]);
    const created = await scim("POST", "/Users?attributes=userName", { userName: "bob" });
    expect(Object.keys(created.body).sort()).toEqual(["id", "schemas", "userName"]);
  });

  test("another directory's users look absent, also within the same organization", async () => {
    const team = await startScim(kind);
    const { id } = await team.user("ada");
    const { body } = await team.call("directory/create", { label: "Other" }, { as: team.owner });
    const elsewhere = { authorization: `Bearer ${body.scim_token}` };
    const absent = await team.scim("GET", "/Users/usr_us_none", undefined, elsewhere);
    for (const [method, payload] of [["GET"], ["DELETE"], ["PUT", { userName: "x" }]] as const) {
      const answer = await team.scim(method, `/Users/${id}`, payload, elsewhere);
      expect([answer.status, answer.body]).toEqual([404, absent.body]);
    }
    expect((await team.scim("GET", "/Users", undefined, elsewhere)).body.totalResults).toBe(0);
    expect((await team.scim("GET", `/Users/${id}`)).status).toBe(200);
  });

  test("writing the same values again changes nothing and adds no audit row", async () => {
    const { user, scim, patch, store } = await startScim(kind);
    const made = await user("ada", { title: "Countess", emails: [{ value: "a@b.example", type: "work" }] });
    const rows = async () => (await store.query("select * from audit_log")).length;
    const before = await rows();
    const again = await patch(`/Users/${made.id}`, { op: "replace", value: { title: "Countess", active: true } });
    expect([again.status, again.body]).toEqual([200, made]);
    expect((await scim("PUT", `/Users/${made.id}`, made)).body).toEqual(made);
    expect(await rows()).toBe(before);
  });
});
