import { expect, test } from "vitest";
import { patchUrn, startScim } from "../../../test/support/scim/scim.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";

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
    "brackets after an attribute that is no list",
    [{ op: "replace", path: 'title[type eq "work"]', value: "x" }],
    "invalidPath",
  ],
  ["a path that is a number", [{ op: "replace", path: 7, value: "x" }], "invalidPath"],
  ["__proto__", [{ op: "replace", path: "__proto__.polluted", value: "x" }], "invalidPath"],
  ["constructor.prototype", [{ op: "add", path: "constructor.prototype.polluted", value: "x" }], "invalidPath"],
  ["name.__proto__", [{ op: "add", path: "name.__proto__", value: { polluted: 1 } }], "invalidPath"],
  ["emails[…].__proto__", [{ op: "add", path: 'emails[type eq "work"].__proto__', value: "x" }], "invalidPath"],
  ["__proto__ in a filter", [{ op: "add", path: 'emails[__proto__ eq "work"].value', value: "x" }], "invalidPath"],
  ["an unknown operation", [{ op: "move", path: "title", value: "x" }], "invalidSyntax"],
  ["no operations", [], "invalidSyntax"],
  ["an operation that is a text", ["add"], "invalidSyntax"],
  ["add without a value", [{ op: "add", path: "title" }], "invalidValue"],
  ["a value without a path that is no object", [{ op: "replace", value: "x" }], "invalidValue"],
  ["active that is neither true nor false", [{ op: "replace", path: "active", value: "perhaps" }], "invalidValue"],
  ["active that is null", [{ op: "replace", path: "active", value: null }], "invalidValue"],
  ["active that is null, without a path", [{ op: "replace", value: { active: null, title: "x" } }], "invalidValue"],
  [
    "a path with too many tests",
    [{ op: "remove", path: `emails[${Array(11).fill('value eq "x"').join(" or ")}]` }],
    "tooMany",
  ],
  ["active that is empty", [{ op: "replace", path: "active", value: "" }], "invalidValue"],
  [
    "active in a list of two",
    [{ op: "replace", path: "active", value: [{ value: "True" }, { value: "False" }] }],
    "invalidValue",
  ],
  ["an empty userName", [{ op: "replace", path: "userName", value: "" }], "invalidValue"],
  ["removing a required attribute", [{ op: "remove", path: "userName" }], "mutability"],
  ["removing a readOnly attribute", [{ op: "remove", path: "groups" }], "mutability"],
  ["another id", [{ op: "replace", value: { id: "usr_other" } }], "mutability"],
  ["other groups", [{ op: "replace", path: "groups", value: [{ value: "grp_other" }] }], "mutability"],
];

describeOnBothStores("PATCH a user: refusals", (kind) => {
  test("a refused operation leaves the user unchanged, including the operations before it", async () => {
    const { user, patch, scim, store } = await startScim(kind);
    const made = await user("ada", { emails: [{ value: "a@x.example", type: "work" }], title: "t" });
    const auditRows = async () => (await store.query("select * from audit_log")).length;
    const before = await auditRows();
    for (const [name, operations, scimType] of refused) {
      // The first operation would succeed by itself.
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
});
