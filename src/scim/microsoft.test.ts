import { expect, test } from "vitest";
import { enterpriseUrn, groupUrn, patchUrn, type ScimTeam, startScim, userUrn } from "../../test/support/scim/scim.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";

/**
 * What Entra ID's own validator, its collection of requests and its provisioning service send, as far as the standards allow it
 * or are silent. The requests are ours.
 */

const shared = "00000000-aaaa-bbbb-cccc-000000000001";

const person = (userName: string, more: Record<string, unknown> = {}) => ({
  schemas: [enterpriseUrn, userUrn],
  externalId: shared,
  userName,
  active: true,
  displayName: "Robin Park",
  name: { formatted: "Robin Park", familyName: "Park", givenName: "Robin", honorificPrefix: null },
  emails: [
    { Primary: true, type: "work", value: "robin@example.com" },
    { Primary: false, type: "home", value: "robin@home.example" },
  ],
  addresses: [{ country: null, formatted: "1 Way\nTown", locality: null, type: "other", primary: false }],
  phoneNumbers: [{ type: "fax", value: "1", primary: false }],
  roles: [],
  meta: { created: "2019-09-18T18:15:26.5788954+00:00", resourceType: "User" },
  ...more,
});

const idsIn = (body: { Resources: { id: string }[] }): string[] => body.Resources.map(({ id }) => id);
const found = async ({ scim }: ScimTeam, path: string) => {
  const { status, body } = await scim("GET", path);
  return [status, body.totalResults, body.Resources && idsIn(body)];
};

describeOnBothStores("Entra ID's suites", (kind) => {
  test("users may share an externalId and an address; a taken userName is refused", async () => {
    const team = await startScim(kind);
    const ids: string[] = [];
    for (const name of ["emp1", "emp2", "emp3"]) ids.push((await team.user(name, person(name))).id);
    for (let turn = 0; turn < 2; turn++) {
      const taken = await team.scim("POST", "/Users", person("EMP3"));
      expect([taken.status, taken.body.scimType, taken.body.detail]).toEqual([409, "uniqueness", expect.any(String)]);
    }
    const [emp1 = ""] = ids;
    const finds: [path: string, total: number, ids: string[]][] = [
      [`/Users?filter=externalId eq "${shared}"`, 3, ids],
      [`/Users/?filter=UserName+eq+"EMP1"`, 1, [emp1]],
      ["/Users?filter=userName sw e", 3, ids],
      [
        "/Users?filter=name.FamilyName eq Park and (emails.Value co example.com or emails.Value co example.org)",
        3,
        ids,
      ],
      ["/Users?filter=meta.Created gt 2015-10-10T14:38:21.8617979-07:00", 3, ids],
      [`/Users?filter=emails[type eq "work"].value eq "ROBIN@example.com"`, 3, ids],
      ['/Users?filter=userName eq "00000000-nobody"', 0, []],
      ["/Users?startIndex=1&count=2", 3, ids.slice(0, 2)],
      ["/Users?startIndex=0&count=2", 3, ids.slice(0, 2)],
      ["/Users?startIndex=-5", 3, ids],
      ["/Users?startIndex=3", 3, ids.slice(2)],
      ["/Users?startIndex=9", 3, []],
      ["/Users?count=0", 3, []],
      ["/Users?count=-1", 3, []],
    ];
    for (const [path, total, expected] of finds) {
      const url = path.replaceAll(" ", "%20").replaceAll('"', "%22");
      expect([path, ...(await found(team, url))]).toEqual([path, 200, total, expected]);
    }
    // Entra ID sends a filter after a name in `attributes`, which the standard lacks.
    for (const attributes of ["userName,emails", "emails[type eq work]", "emails[value eq x].value", "Emails.Value"]) {
      const { body } = await team.scim("GET", `/Users/${emp1}?attributes=${encodeURIComponent(attributes)}`);
      expect([attributes, body.emails[0].value, body.name]).toEqual([attributes, "robin@example.com", undefined]);
    }
  });

  test("an invalid request is 400 and an unknown resource 404, each as a SCIM error", async () => {
    const team = await startScim(kind);
    const { id } = await team.user("robin");
    const { userName: _, ...nameless } = person("x");
    const refused: [method: string, path: string, body: unknown, status: number][] = [
      ["POST", "/Users", nameless, 400],
      ["PUT", `/Users/${id}`, { ...nameless, userame: "robin" }, 400],
      ["POST", "/Users", '{"userName": tre, "a": [', 400],
      ["POST", "/Groups", { schemas: [groupUrn] }, 400],
      ["GET", "/Users/unknown", undefined, 404],
      ["PUT", "/Users/unknown", person("y"), 404],
      ["PATCH", "/Users/unknown", { Operations: [{ op: "replace", path: "title", value: "x" }] }, 404],
      ["DELETE", "/Users/unknown", undefined, 404],
      ["GET", "/Groups/unknown", undefined, 404],
      ["DELETE", "/Groups/unknown", undefined, 404],
      ["GET", "/Schemas/urn:unknown", undefined, 404],
      ["GET", "/ResourceTypes/Unknown", undefined, 404],
      ["GET", "/Unknown", undefined, 404],
      ["POST", "/Bulk", { Operations: [] }, 501],
      ["GET", "/Users?filter=userName%20xx%20%22a%22", undefined, 400],
      ["GET", "/Users?filter=nonsense%20eq%20%22a%22", undefined, 400],
      // RFC 7644, 4.
      ["GET", "/Schemas?filter=name%20eq%20%22User%22", undefined, 403],
    ];
    for (const [method, path, body, status] of refused) {
      const answer = await team.scim(method, path, body);
      expect([method, path, answer.status, answer.body.status]).toEqual([method, path, status, String(status)]);
    }
    // An unknown attribute is ignored, and an omitted one is cleared.
    const put = await team.scim("PUT", `/Users/${id}`, { userName: "robin", adreses: [{ country: "DE" }] });
    expect([put.status, put.text.toLowerCase().includes("address")]).toEqual([200, false]);
  });

  test("discovery also works under the name ServiceConfiguration", async () => {
    const { scim } = await startScim(kind);
    for (const path of ["/ServiceProviderConfig", "/serviceConfiguration"]) {
      const { body } = await scim("GET", path);
      expect([body.patch.supported, body.etag.supported, body.bulk.supported]).toEqual([true, true, false]);
    }
    const { body } = await scim("GET", "/ResourceTypes");
    expect(body.Resources[0].endpoint).toBe("/Users");
    const user = await scim("GET", `/Schemas/${userUrn}`);
    expect([user.status, user.body.description]).toEqual([200, "User Account"]);
    expect((await scim("GET", "/ResourceTypes/User")).status).toBe(200);
  });

  test("every attribute of the schema is set by its path, and cleared by an empty text and by null", async () => {
    const team = await startScim(kind);
    const { body } = await team.scim("GET", "/Schemas");
    const paths: string[] = [];
    for (const schema of body.Resources.filter(({ id }: { id: string }) => id !== groupUrn)) {
      const prefix = schema.id === userUrn ? "" : `${schema.id}:`;
      for (const attribute of schema.attributes) {
        const { name, type, multiValued, mutability, required, subAttributes = [] } = attribute;
        if (mutability !== "readWrite" || required || name === "active") continue;
        const parts = subAttributes.filter((sub: { mutability: string }) => sub.mutability === "readWrite");
        if (type !== "complex") paths.push(prefix + name);
        else if (name === "manager") paths.push(prefix + name);
        else if (!multiValued) for (const sub of parts) paths.push(`${prefix}${name}.${sub.name}`);
        else {
          const kinds = parts.find((sub: { name: string }) => sub.name === "type")?.canonicalValues ?? [];
          const filters = kinds.map((each: string) => `[type eq "${each}"]`);
          for (const filter of filters.length > 0 ? filters : ['[primary eq "True"]']) {
            for (const sub of parts) {
              if (!["type", "primary"].includes(sub.name)) paths.push(`${prefix}${name}${filter}.${sub.name}`);
            }
          }
        }
      }
    }
    expect(paths.length).toBeGreaterThan(60);
    const { id } = await team.user("robin");
    const all = (value: unknown) => paths.map((path) => ({ op: "replace", path, value }));
    const read = async () => (await team.scim("GET", `/Users/${id}`)).body;
    const bare = await read();
    for (const nothing of ["", null]) {
      expect((await team.patch(`/Users/${id}`, ...all("some-value"))).status).toBe(200);
      const set = await read();
      for (const path of paths) {
        const [name = ""] = path.replace(`${enterpriseUrn}:`, "").split(/[.[]/);
        const home = path.startsWith("urn:") ? set[enterpriseUrn] : set;
        expect([path, JSON.stringify(home[name])]).toEqual([path, expect.stringContaining("some-value")]);
      }
      expect((await team.patch(`/Users/${id}`, ...all(nothing))).status).toBe(200);
      expect({ ...(await read()), meta: null }).toEqual({ ...bare, meta: null });
    }
    // The same without a path.
    const pairs = Object.fromEntries(paths.map((path) => [path, "other-value"]));
    expect((await team.patch(`/Users/${id}`, { op: "replace", value: pairs })).status).toBe(200);
    expect((await read()).x509Certificates[0].value).toBe("other-value");
    expect((await read())[enterpriseUrn].manager.value).toBe("other-value");
  });

  test("a user is created, changed, deactivated, restored and deleted as the provisioning service does it", async () => {
    const team = await startScim(kind);
    const { id } = await team.user("robin", person("robin", { active: "True" }));
    const path = `/Users/${id}`;
    const steps: [operation: Record<string, unknown>, expected: Record<string, unknown>][] = [
      [
        { op: "Replace", path: "userName", value: "robin.p" },
        { userName: "robin.p", active: true },
      ],
      [{ op: "Replace", path: "active", value: "False" }, { active: false }],
      [{ op: "Replace", path: "active", value: "True" }, { active: true }],
      [{ op: "Replace", value: { active: false } }, { active: false }],
      [
        { op: "Add", path: `${enterpriseUrn}:manager`, value: [{ $ref: "http://x/Users/m", value: "m" }] },
        { [enterpriseUrn]: { manager: { value: "m", $ref: "http://x/Users/m" } } },
      ],
      [
        { op: "Replace", path: `${enterpriseUrn}:manager`, value: "n" },
        { [enterpriseUrn]: { manager: { value: "n" } } },
      ],
      [{ op: "Remove", path: `${enterpriseUrn}:manager` }, { [enterpriseUrn]: undefined }],
      [
        { op: "Add", value: { "name.givenName": "R.", [`${enterpriseUrn}:department`]: "D" } },
        { [enterpriseUrn]: { department: "D" } },
      ],
    ];
    for (const [operation, expected] of steps) {
      const answer = await team.scim("PATCH", path, { schemas: [patchUrn], Operations: [operation] });
      expect([operation, answer.status]).toEqual([operation, 200]);
      for (const [name, value] of Object.entries(expected)) expect([name, answer.body[name]]).toEqual([name, value]);
    }
    expect((await team.scim("DELETE", path)).status).toBe(204);
    expect((await team.scim("DELETE", path)).status).toBe(404);
    expect((await team.scim("GET", path)).status).toBe(404);
    // The provider creates the user again under the same name.
    expect((await team.scim("POST", "/Users", person("robin.p"))).status).toBe(201);
  });

  test("a group is created, changed and deleted as the provisioning service does it", async () => {
    const team = await startScim(kind);
    const [a, b] = [await team.user("a", person("a")), await team.user("b", person("b"))];
    const made = (displayName: string, members: unknown[]) =>
      team.scim("POST", "/Groups", { schemas: [groupUrn], externalId: shared, displayName, members });
    const { id } = (await made("First", [])).body;
    const second = await made("Second", [{ value: a.id, display: "VP" }]);
    expect([second.status, second.body.members.length]).toEqual([201, 1]);
    expect((await made("first", [])).status).toBe(409);
    const path = `/Groups/${id}`;
    const add = { op: "Add", path: "members", value: [{ displayName: "new", value: b.id, $ref: null }] };
    const members = async () => {
      const { body } = await team.scim("GET", path);
      return body.members.map(({ value }: { value: string }) => value);
    };
    const steps: [operation: unknown, members: string[]][] = [
      [{ name: "addMember", ...add }, [b.id]],
      [add, [b.id]],
      [{ op: "remove", path: `members[value eq "${b.id}"]` }, []],
      [add, [b.id]],
      [{ op: "Remove", path: "members", value: [{ value: b.id }] }, []],
      [{ op: "add", path: "members", value: [{ value: a.id }, { value: b.id }] }, [a.id, b.id]],
      [{ op: "remove", path: "members" }, []],
      [{ op: "Replace", path: "displayName", value: "Third" }, []],
    ];
    for (const [operation, expected] of steps) {
      const { status } = await team.scim("PATCH", path, { id, schemas: [patchUrn], Operations: [operation] });
      expect([operation, status, await members()]).toEqual([operation, 200, expected]);
    }
    const finds: [filter: string, total: number][] = [
      ['displayName eq "THIRD"', 1],
      [`externalId eq "${shared}"`, 2],
      [`id eq "${id}" and members[value eq "${a.id}"]`, 0],
      [`members.value eq "${a.id}"`, 1],
    ];
    for (const [filter, total] of finds) {
      const url = `/Groups?excludedAttributes=members&filter=${encodeURIComponent(filter)}`;
      const { body } = await team.scim("GET", url);
      expect([filter, body.totalResults, body.Resources[0]?.members]).toEqual([filter, total, undefined]);
    }
    const put = await team.scim("PUT", path, {
      id,
      displayName: "Put",
      members: [{ value: a.id, display: "VP" }, { value: b.id }],
    });
    expect([put.status, put.body.displayName, await members()]).toEqual([200, "Put", [a.id, b.id]]);
    expect((await team.scim("DELETE", path)).status).toBe(204);
    expect((await team.scim("DELETE", path)).status).toBe(404);
  });
});
