import { expect, test } from "vitest";
import { enterpriseUrn, startScim } from "../../../test/support/scim/scim.ts";
import { expectApplied, type PatchCase } from "../../../test/support/scim/scim-patch.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";

const work = (value: string) => ({ value, type: "work" });

const cases: PatchCase[] = [
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
  // "The attribute SHALL be considered unassigned" (RFC 7644, 3.5.2.2).
  ["removing `active` deactivates", { active: true }, [{ op: "remove", path: "active" }], { active: false }],
  ["names and operators in any case", {}, [{ OP: "ADD", Path: "TITLE", Value: "x" }], { title: "x" }],
  [
    "unknown attributes are ignored",
    {},
    [{ op: "replace", value: { title: "x", favouriteColour: "blue" } }],
    { title: "x", favouriteColour: undefined },
  ],
  [
    "null removes",
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

describeOnBothStores("PATCH a user", (kind) => {
  test("changes what each operation names", () => expectApplied(kind, cases));

  test("a filter finds the value after a PATCH, and no longer the old one", async () => {
    const { user, patch, scim } = await startScim(kind);
    const { id } = await user("ada", { emails: [work("old@x.example")] });
    await patch(`/Users/${id}`, { op: "replace", path: 'emails[type eq "work"].value', value: "new@x.example" });
    const count = async (address: string) =>
      (await scim("GET", `/Users?filter=${encodeURIComponent(`emails.value eq "${address}"`)}`)).body.totalResults;
    expect([await count("old@x.example"), await count("NEW@x.example")]).toEqual([0, 1]);
  });
});
