import { expect, test } from "vitest";
import { enterpriseUrn, startScim } from "../../../test/support/scim/scim.ts";
import { expectApplied, type PatchCase } from "../../../test/support/scim/scim-patch.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";

const work = (value: string) => ({ value, type: "work" });

/** Requests of identity providers that differ from the standard or use its rarer forms. */
const quirks: PatchCase[] = [
  [
    "operators with a capital, booleans as texts",
    { active: true },
    [{ op: "Replace", path: "active", value: "False" }],
    { active: false },
  ],
  [
    "booleans wrapped in a list",
    { active: true },
    [{ op: "Replace", path: "active", value: [{ value: "False" }] }],
    { active: false },
  ],
  [
    "`primary` as a text",
    {},
    [{ op: "Add", path: "emails", value: [{ value: "a@x.example", primary: "True" }] }],
    { emails: [{ value: "a@x.example", primary: true }] },
  ],
  [
    "dotted and URN-qualified keys without a path",
    { name: { familyName: "L" } },
    [{ op: "replace", value: { displayName: "D", "name.givenName": "G", [`${enterpriseUrn}:employeeNumber`]: "7" } }],
    { displayName: "D", name: { givenName: "G", familyName: "L" }, [enterpriseUrn]: { employeeNumber: "7" } },
  ],
  [
    "a value path without a matching element makes it",
    {},
    [{ op: "Replace", path: 'emails[type eq "work"].value', value: "w@x.example" }],
    { emails: [{ type: "work", value: "w@x.example" }] },
  ],
  [
    "several parts of an element that is made",
    {},
    [
      { op: "Add", path: 'addresses[type eq "work"].locality', value: "Bern" },
      { op: "Add", path: 'addresses[type eq "work"].country', value: "CH" },
    ],
    { addresses: [{ type: "work", locality: "Bern", country: "CH" }] },
  ],
  [
    "and a matching one is changed",
    { emails: [work("a@x.example")] },
    [{ op: "replace", path: 'emails[type eq "work"].value', value: "b@x.example" }],
    { emails: [work("b@x.example")] },
  ],
  ["an empty text clears", { title: "a" }, [{ op: "replace", path: "title", value: "" }], { title: undefined }],
  [
    "and without a path",
    { title: "a", nickName: "n" },
    [{ op: "replace", value: { title: "", nickName: "" } }],
    { title: undefined, nickName: undefined },
  ],
  [
    "and an element",
    { emails: [work("a@x.example")] },
    [{ op: "replace", path: 'emails[type eq "work"].value', value: "" }],
    { emails: undefined },
  ],
  [
    "another manager, without what was said of the one before",
    { [enterpriseUrn]: { manager: { value: "m1", $ref: "../Users/m1" } } },
    [{ op: "Replace", path: `${enterpriseUrn}:manager`, value: "m2" }],
    { [enterpriseUrn]: { manager: { value: "m2" } } },
  ],
  [
    "no manager, as an empty value in a list of one",
    { [enterpriseUrn]: { department: "d", manager: { value: "m1", $ref: "../Users/m1" } } },
    [{ op: "Replace", path: `${enterpriseUrn}:manager`, value: [{ value: "" }] }],
    { [enterpriseUrn]: { department: "d" } },
  ],
  [
    "an extension that is cleared",
    { [enterpriseUrn]: { department: "d" } },
    [{ op: "replace", path: enterpriseUrn, value: "" }],
    { [enterpriseUrn]: undefined },
  ],
  [
    "an extension that is null, beside others",
    {},
    [{ op: "replace", value: { title: "x", [enterpriseUrn]: null, groups: [] } }],
    { title: "x", [enterpriseUrn]: undefined },
  ],
  [
    "a manager as a bare id",
    {},
    [{ op: "Add", path: `${enterpriseUrn}:manager`, value: "m1" }],
    { [enterpriseUrn]: { manager: { value: "m1" } } },
  ],
  [
    "a dot between the schema and the name",
    {},
    [{ op: "replace", path: `${enterpriseUrn}.manager`, value: "m1" }],
    { [enterpriseUrn]: { manager: { value: "m1" } } },
  ],
  [
    "a manager as a value",
    {},
    [{ op: "Add", path: `${enterpriseUrn}:manager`, value: { value: "m1" } }],
    { [enterpriseUrn]: { manager: { value: "m1" } } },
  ],
  [
    "a manager as a list of one",
    {},
    [{ op: "Add", path: `${enterpriseUrn}:manager`, value: [{ value: "m1", $ref: "../Users/m1" }] }],
    { [enterpriseUrn]: { manager: { value: "m1", $ref: "../Users/m1" } } },
  ],
  [
    "fully qualified core paths",
    { active: true },
    [{ op: "replace", path: "urn:ietf:params:scim:schemas:core:2.0:User:active", value: false }],
    { active: false },
  ],
  [
    "a password is accepted and not stored",
    {},
    [{ op: "replace", value: { password: "dummy-1" } }],
    { password: undefined },
  ],
];

describeOnBothStores("PATCH a user as providers send it", (kind) => {
  test("is accepted in each provider's form", () => expectApplied(kind, quirks));

  test("readOnly values that are equal are ignored", async () => {
    const { user, group, patch, scim } = await startScim(kind);
    const { id } = await user("ada");
    await group("Engineers", [id]);
    const { groups, meta } = (await scim("GET", `/Users/${id}`)).body;
    const answer = await patch(`/Users/${id}`, { op: "replace", value: { id, groups, meta, title: "x" } });
    expect([answer.status, answer.body.title]).toEqual([200, "x"]);
  });
});
