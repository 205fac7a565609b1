import { expect, test } from "vitest";
import { enterpriseUrn, patchUrn, startScim } from "../../test/support/scim.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";

const work = (value: string) => ({ value, type: "work" });

/** What one PATCH makes of a user, as a table: the user before, the operations, what it holds afterwards. */
type Case = [name: string, before: Record<string, unknown>, operations: unknown[], after: Record<string, unknown>];

const applied: Case[] = [
  ["adds a simple attribute", {}, [{ op: "add", path: "title", value: "x" }], { title: "x" }],
  [
    "replaces without a path",
    { title: "a" },
    [{ op: "replace", value: { title: "b", nickName: "n" } }],
    { title: "b", nickName: "n" },
  ],
  [
    "merges the parts of a complex attribute",
    { name: { givenName: "A", familyName: "L" } },
    [{ op: "replace", path: "name", value: { givenName: "B" } }],
    { name: { givenName: "B", familyName: "L" } },
  ],
  ["removes a simple attribute", { title: "a" }, [{ op: "remove", path: "title" }], { title: undefined }],
  [
    "removes a part",
    { name: { givenName: "A", familyName: "L" } },
    [{ op: "remove", path: "name.givenName" }],
    { name: { familyName: "L" } },
  ],
  [
    "removes elements by a filter",
    { emails: [work("a@x.example"), { value: "h@x.example", type: "home" }] },
    [{ op: "remove", path: 'emails[type eq "HOME"]' }],
    { emails: [work("a@x.example")] },
  ],
  [
    "removes listed elements and no others",
    { emails: [work("a@x.example"), { value: "h@x.example", type: "home" }] },
    [{ op: "remove", path: "emails", value: [{ value: "A@X.example" }] }],
    { emails: [{ value: "h@x.example", type: "home" }] },
  ],
  [
    "adds an element, once",
    { emails: [work("a@x.example")] },
    [{ op: "add", path: "emails", value: [work("a@x.example"), work("b@x.example")] }],
    { emails: [work("a@x.example"), work("b@x.example")] },
  ],
  [
    "a new main element takes the place of the old",
    { emails: [{ ...work("a@x.example"), primary: true }] },
    [{ op: "add", path: "emails", value: [{ value: "h@x.example", primary: true }] }],
    {
      emails: [
        { ...work("a@x.example"), primary: false },
        { value: "h@x.example", primary: true },
      ],
    },
  ],
  [
    "type and value that are there already are not there twice; what is new about them counts",
    { emails: [work("a@x.example"), { value: "h@x.example", type: "home", primary: true }] },
    [{ op: "add", path: "emails", value: [{ value: "A@x.example", type: "Work", primary: true }] }],
    {
      emails: [
        { value: "A@x.example", type: "Work", primary: true },
        { value: "h@x.example", type: "home", primary: false },
      ],
    },
  ],
  [
    "elements that become the same are one",
    { emails: [work("a@x.example"), { value: "h@x.example", type: "home" }] },
    [{ op: "replace", path: 'emails[type eq "home"]', value: work("a@x.example") }],
    { emails: [work("a@x.example")] },
  ],
  [
    "of several main ones the last counts",
    {},
    [
      {
        op: "replace",
        path: "emails",
        value: [
          { value: "a@x.example", primary: true },
          { value: "b@x.example", primary: true },
        ],
      },
    ],
    {
      emails: [
        { value: "a@x.example", primary: false },
        { value: "b@x.example", primary: true },
      ],
    },
  ],
  [
    "equal addresses without a type of value are one",
    { addresses: [{ locality: "Bern", type: "work" }] },
    [{ op: "add", path: "addresses", value: [{ type: "work", locality: "Bern" }] }],
    { addresses: [{ locality: "Bern", type: "work" }] },
  ],
  [
    "an element of which only a name to show is known",
    {},
    [{ op: "add", path: 'roles[primary eq "True"].display', value: "Boss" }],
    { roles: [{ display: "Boss", primary: true }] },
  ],
  [
    "paths as names, without a path",
    { emails: [work("a@x.example")] },
    [
      {
        op: "replace",
        value: {
          'emails[type eq "work"].value': "b@x.example",
          'phoneNumbers[type eq "mobile"].value': "1",
          'nonsense[type eq "x"].value': "y",
          title: "t",
        },
      },
    ],
    { emails: [work("b@x.example")], phoneNumbers: [{ type: "mobile", value: "1" }], title: "t" },
  ],
  // "The attribute SHALL be considered unassigned" (RFC 7644, 3.5.2.2): nobody says any more that the account works.
  ["removing `active` deactivates", { active: true }, [{ op: "remove", path: "active" }], { active: false }],
  ["names and operators in any case", {}, [{ OP: "ADD", Path: "TITLE", Value: "x" }], { title: "x" }],
  // The quirks of the reference, by their number.
  [
    "1: operators with a capital, booleans as texts",
    { active: true },
    [{ op: "Replace", path: "active", value: "False" }],
    { active: false },
  ],
  [
    "1: booleans wrapped in a list",
    { active: true },
    [{ op: "Replace", path: "active", value: [{ value: "False" }] }],
    { active: false },
  ],
  [
    "1: `primary` as a text",
    {},
    [{ op: "Add", path: "emails", value: [{ value: "a@x.example", primary: "True" }] }],
    { emails: [{ value: "a@x.example", primary: true }] },
  ],
  [
    "2: dotted and URN-qualified keys without a path",
    { name: { familyName: "L" } },
    [{ op: "replace", value: { displayName: "D", "name.givenName": "G", [`${enterpriseUrn}:employeeNumber`]: "7" } }],
    { displayName: "D", name: { givenName: "G", familyName: "L" }, [enterpriseUrn]: { employeeNumber: "7" } },
  ],
  [
    "3: a value path without a matching element makes it",
    {},
    [{ op: "Replace", path: 'emails[type eq "work"].value', value: "w@x.example" }],
    { emails: [{ type: "work", value: "w@x.example" }] },
  ],
  [
    "3: several parts of an element that is made",
    {},
    [
      { op: "Add", path: 'addresses[type eq "work"].locality', value: "Bern" },
      { op: "Add", path: 'addresses[type eq "work"].country', value: "CH" },
    ],
    { addresses: [{ type: "work", locality: "Bern", country: "CH" }] },
  ],
  [
    "3: and a matching one is changed",
    { emails: [work("a@x.example")] },
    [{ op: "replace", path: 'emails[type eq "work"].value', value: "b@x.example" }],
    { emails: [work("b@x.example")] },
  ],
  ["7: an empty text clears", { title: "a" }, [{ op: "replace", path: "title", value: "" }], { title: undefined }],
  [
    "7: and without a path",
    { title: "a", nickName: "n" },
    [{ op: "replace", value: { title: "", nickName: "" } }],
    { title: undefined, nickName: undefined },
  ],
  [
    "7: and an element",
    { emails: [work("a@x.example")] },
    [{ op: "replace", path: 'emails[type eq "work"].value', value: "" }],
    { emails: undefined },
  ],
  [
    "9: another manager, without what was said of the one before",
    { [enterpriseUrn]: { manager: { value: "m1", $ref: "../Users/m1" } } },
    [{ op: "Replace", path: `${enterpriseUrn}:manager`, value: "m2" }],
    { [enterpriseUrn]: { manager: { value: "m2" } } },
  ],
  [
    "9: no manager, as an empty value in a list of one",
    { [enterpriseUrn]: { department: "d", manager: { value: "m1", $ref: "../Users/m1" } } },
    [{ op: "Replace", path: `${enterpriseUrn}:manager`, value: [{ value: "" }] }],
    { [enterpriseUrn]: { department: "d" } },
  ],
  [
    "7: an extension that is cleared",
    { [enterpriseUrn]: { department: "d" } },
    [{ op: "replace", path: enterpriseUrn, value: "" }],
    { [enterpriseUrn]: undefined },
  ],
  [
    "8: an extension that is null, beside others",
    {},
    [{ op: "replace", value: { title: "x", [enterpriseUrn]: null, groups: [] } }],
    { title: "x", [enterpriseUrn]: undefined },
  ],
  [
    "9: a manager as a bare id",
    {},
    [{ op: "Add", path: `${enterpriseUrn}:manager`, value: "m1" }],
    { [enterpriseUrn]: { manager: { value: "m1" } } },
  ],
  [
    "9: a manager as a value",
    {},
    [{ op: "Add", path: `${enterpriseUrn}:manager`, value: { value: "m1" } }],
    { [enterpriseUrn]: { manager: { value: "m1" } } },
  ],
  [
    "9: a manager as a list of one",
    {},
    [{ op: "Add", path: `${enterpriseUrn}:manager`, value: [{ value: "m1", $ref: "../Users/m1" }] }],
    { [enterpriseUrn]: { manager: { value: "m1", $ref: "../Users/m1" } } },
  ],
  [
    "10: fully qualified core paths",
    { active: true },
    [{ op: "replace", path: "urn:ietf:params:scim:schemas:core:2.0:User:active", value: false }],
    { active: false },
  ],
  [
    "15: a password is taken and forgotten",
    {},
    [{ op: "replace", value: { password: "dummy-1" } }],
    { password: undefined },
  ],
  [
    "unknown attributes are passed over",
    {},
    [{ op: "replace", value: { title: "x", favouriteColour: "blue" } }],
    { title: "x", favouriteColour: undefined },
  ],
  [
    "null takes away",
    { title: "a", name: { givenName: "G", familyName: "F" } },
    [{ op: "replace", value: { title: null, name: { givenName: null } } }],
    { title: undefined, name: { familyName: "F" } },
  ],
  [
    "a whole extension",
    { [enterpriseUrn]: { division: "D" } },
    [{ op: "remove", path: enterpriseUrn }],
    { [enterpriseUrn]: undefined },
  ],
];

const refused: [name: string, operations: unknown[], scimType: string][] = [
  ["remove without a path", [{ op: "remove" }], "noTarget"],
  ["remove of elements that are not there", [{ op: "remove", path: 'emails[type eq "home"]' }], "noTarget"],
  [
    "a filter that describes no element",
    [{ op: "replace", path: 'emails[type sw "h"].value', value: "x" }],
    "noTarget",
  ],
  ["an unknown attribute", [{ op: "replace", path: "favouriteColour", value: "x" }], "invalidPath"],
  ["an unknown part", [{ op: "replace", path: "name.favourite", value: "x" }], "invalidPath"],
  ["a broken filter", [{ op: "replace", path: 'emails[type eq "work].value', value: "x" }], "invalidPath"],
  ["a part of an unknown list", [{ op: "replace", path: 'emails[type eq "work"].colour', value: "x" }], "invalidPath"],
  [
    "brackets behind something that is no list",
    [{ op: "replace", path: 'title[type eq "work"]', value: "x" }],
    "invalidPath",
  ],
  ["a path that is a number", [{ op: "replace", path: 7, value: "x" }], "invalidPath"],
  ["__proto__", [{ op: "replace", path: "__proto__.polluted", value: "x" }], "invalidPath"],
  ["constructor.prototype", [{ op: "add", path: "constructor.prototype.polluted", value: "x" }], "invalidPath"],
  ["name.__proto__", [{ op: "add", path: "name.__proto__", value: { polluted: 1 } }], "invalidPath"],
  ["emails[…].__proto__", [{ op: "add", path: 'emails[type eq "work"].__proto__', value: "x" }], "invalidPath"],
  ["__proto__ in a filter", [{ op: "add", path: 'emails[__proto__ eq "work"].value', value: "x" }], "invalidPath"],
  ["an operation that is none", [{ op: "move", path: "title", value: "x" }], "invalidSyntax"],
  ["no operations", [], "invalidSyntax"],
  ["an operation that is a text", ["add"], "invalidSyntax"],
  ["add without a value", [{ op: "add", path: "title" }], "invalidValue"],
  ["a value without a path that is no object", [{ op: "replace", value: "x" }], "invalidValue"],
  ["1: active that is neither", [{ op: "replace", path: "active", value: "perhaps" }], "invalidValue"],
  ["active that is null", [{ op: "replace", path: "active", value: null }], "invalidValue"],
  ["active that is null, without a path", [{ op: "replace", value: { active: null, title: "x" } }], "invalidValue"],
  [
    "a path with more tests than a list is looked through by",
    [{ op: "remove", path: `emails[${Array(11).fill('value eq "x"').join(" or ")}]` }],
    "tooMany",
  ],
  ["1: active that is empty", [{ op: "replace", path: "active", value: "" }], "invalidValue"],
  [
    "1: active in a list of two",
    [{ op: "replace", path: "active", value: [{ value: "True" }, { value: "False" }] }],
    "invalidValue",
  ],
  ["an empty userName", [{ op: "replace", path: "userName", value: "" }], "invalidValue"],
  ["removing what is required", [{ op: "remove", path: "userName" }], "mutability"],
  ["removing what is readOnly", [{ op: "remove", path: "groups" }], "mutability"],
  ["14: another id", [{ op: "replace", value: { id: "usr_other" } }], "mutability"],
  ["14: other groups", [{ op: "replace", path: "groups", value: [{ value: "grp_other" }] }], "mutability"],
];

describeOnBothStores("PATCH a user", (kind) => {
  test("does what each row says", async () => {
    const { user, patch, scim } = await startScim(kind);
    for (const [index, [name, before, operations, after]] of applied.entries()) {
      const made = await user(`user${index}`, before);
      const answer = await patch(`/Users/${made.id}`, ...operations);
      expect([name, answer.status, answer.body]).toEqual([name, 200, expect.anything()]);
      for (const [key, value] of Object.entries(after))
        expect([name, key, answer.body[key]]).toEqual([name, key, value]);
      expect((await scim("GET", `/Users/${made.id}`)).body).toEqual(answer.body);
    }
  });

  test("is atomic: whatever is refused leaves the user as they were", async () => {
    const { user, patch, scim, store } = await startScim(kind);
    const made = await user("ada", { emails: [work("a@x.example")], title: "t" });
    const auditRows = async () => (await store.query("select * from audit_log")).length;
    const before = await auditRows();
    for (const [name, operations, scimType] of refused) {
      // What comes first would succeed by itself.
      const first = { op: "replace", path: "title", value: "changed" };
      const answer = await patch(`/Users/${made.id}`, ...(operations.length > 0 ? [first, ...operations] : []));
      expect([name, answer.status, answer.body.scimType]).toEqual([name, 400, scimType]);
    }
    expect((await scim("GET", `/Users/${made.id}`)).body).toEqual(made);
    expect(await auditRows()).toBe(before);
    expect("polluted" in {}).toBe(false);
  });

  test("prototype names in values are refused, and Object.prototype is untouched", async () => {
    const { user, scim } = await startScim(kind);
    const { id } = await user("ada");
    const before = Object.getOwnPropertyNames(Object.prototype).length;
    for (const value of [
      '{"__proto__":{"polluted":1}}',
      '{"constructor":{"prototype":{"polluted":1}}}',
      '{"name":{"__proto__":{"polluted":1}}}',
    ]) {
      const text = `{"schemas":["${patchUrn}"],"Operations":[{"op":"add","value":${value}}]}`;
      const answer = await scim("PATCH", `/Users/${id}`, text);
      expect([value, answer.status, answer.body.scimType]).toEqual([value, 400, "invalidValue"]);
    }
    expect(Object.getOwnPropertyNames(Object.prototype).length).toBe(before);
    expect("polluted" in {}).toBe(false);
  });

  test("14: readOnly values that are equal are ignored", async () => {
    const { user, group, patch, scim } = await startScim(kind);
    const { id } = await user("ada");
    await group("Engineers", [id]);
    const { groups, meta } = (await scim("GET", `/Users/${id}`)).body;
    const answer = await patch(`/Users/${id}`, { op: "replace", value: { id, groups, meta, title: "x" } });
    expect([answer.status, answer.body.title]).toEqual([200, "x"]);
  });

  test("the filter still finds what a PATCH has changed, and no longer what it was", async () => {
    const { user, patch, scim } = await startScim(kind);
    const { id } = await user("ada", { emails: [work("old@x.example")] });
    await patch(`/Users/${id}`, { op: "replace", path: 'emails[type eq "work"].value', value: "new@x.example" });
    const count = async (address: string) =>
      (await scim("GET", `/Users?filter=${encodeURIComponent(`emails.value eq "${address}"`)}`)).body.totalResults;
    expect([await count("old@x.example"), await count("NEW@x.example")]).toEqual([0, 1]);
  });
});
