import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noteMembers } from "../kernel/large-objects.ts";
import {
  type Action,
  actionsToText,
  onTheWire,
  permissionsFromText,
  rankOf,
  readPermissions,
  toPermissions,
  weaker,
} from "./permissions.ts";

const withActions = (actions: unknown) => ({ items: { platformDefault: { actions } } });
const inMap = "/items/platformDefault/actions";
const errorsOf = (value: unknown) => {
  const read = readPermissions(value);
  return "errors" in read ? read.errors.map(({ kind, pointer, code }) => [kind, pointer, code]) : [];
};

describe("a Permissions object", () => {
  // "Map of action name to boolean; `true` grants the action."
  test.each([
    [{ "role:viewer": true }, ["role:viewer"], "viewer"],
    [{ "role:editor": true }, ["role:editor"], "editor"],
    [{ admin: true }, ["admin"], "admin"],
    [{ admin: true, "role:viewer": true }, ["role:viewer", "admin"], "admin"],
    [{ "role:editor": true, "role:viewer": true, admin: false }, ["role:viewer", "role:editor"], "editor"],
  ])("%j grants %j and makes a person %s", (actions, granted, role) => {
    expect(readPermissions(withActions(actions))).toEqual({ permissions: { actions: granted, role } });
  });

  // "Errors are collected up to 100": one for each of very many names would block the event loop.
  test("with very many unknown names gets a hundred errors, or one if only listing them would take long", () => {
    const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 1]));
    expect(errorsOf(withActions(names(5000)))).toHaveLength(100);
    const many = names(20_000);
    noteMembers(many, 20_000);
    expect(errorsOf(withActions(many))).toEqual([["value", inMap, "unknown_action"]]);
  });

  test.each([
    ["nothing", undefined, ["shape", "", "invalid_type"]],
    ["null", null, ["shape", "", "invalid_type"]],
    ["a list", [], ["shape", "", "invalid_type"]],
    ["no items", {}, ["shape", "/items", "invalid_type"]],
    ["items that are a list", { items: [] }, ["shape", "/items", "invalid_type"]],
    ["a scope that is null", { items: { platformDefault: null } }, ["shape", "/items/platformDefault", "invalid_type"]],
    ["no actions", { items: { platformDefault: {} } }, ["shape", inMap, "invalid_type"]],
    ["an action that is a word", withActions({ admin: "true" }), ["shape", `${inMap}/admin`, "invalid_type"]],
    ["an action that is null", withActions({ admin: null }), ["shape", `${inMap}/admin`, "invalid_type"]],
    ["no scope", { items: {} }, ["value", inMap, "nothing_granted"]],
    ["no action", withActions({}), ["value", inMap, "nothing_granted"]],
    ["only false", withActions({ admin: false }), ["value", inMap, "nothing_granted"]],
    ["an unknown action", withActions({ Admin: true }), ["value", `${inMap}/Admin`, "unknown_action"]],
    [
      "an unknown action set to false",
      withActions({ owner: false, admin: true }),
      ["value", `${inMap}/owner`, "unknown_action"],
    ],
    [
      "an unknown scope",
      { items: { other: withActions({ admin: true }) } },
      ["value", "/items/other", "unknown_scope"],
    ],
    [
      "a name with a slash and a tilde",
      withActions({ "a/b~c": true }),
      ["value", `${inMap}/a~1b~0c`, "unknown_action"],
    ],
  ])("%s is refused with a pointer to it", (_name, value, error) => {
    expect(errorsOf(value)).toEqual([error]);
  });

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "the name %s is as unknown as any other, and inherited members grant nothing",
    (name) => {
      const parsed = JSON.parse(`{"items":{"platformDefault":{"actions":{"${name}":true}}}}`);
      expect(errorsOf(parsed)).toEqual([["value", `${inMap}/${name}`, "unknown_action"]]);
      expect(errorsOf(JSON.parse(`{"items":{"${name}":{"actions":{"admin":true}}}}`))).toEqual([
        ["value", `/items/${name}`, "unknown_scope"],
      ]);
      const beside = JSON.parse(`{"${name}":{},"items":{"platformDefault":{"${name}":{},"actions":{"admin":true}}}}`);
      expect(errorsOf(beside)).toEqual([
        ["value", `/${name}`, "unknown_member"],
        ["value", `/items/platformDefault/${name}`, "unknown_member"],
      ]);
      expect(errorsOf(Object.create(withActions({ admin: true })))).toEqual([["shape", "/items", "invalid_type"]]);
      expect(({} as Record<string, unknown>).admin).toBeUndefined();
    },
  );

  test("any input grants only actions that are set to true", () => {
    const name = fc.constantFrom("admin", "role:viewer", "role:editor", "owner", "__proto__", "Admin");
    const actions = fc.dictionary(name, fc.oneof(fc.boolean(), fc.boolean(), fc.constantFrom("true", 1, null)));
    fc.assert(
      fc.property(actions, (map) => {
        const read = readPermissions(withActions(map));
        if (!("permissions" in read)) return;
        const spelledOut = Object.keys(map).filter((key) => map[key] === true);
        expect([...read.permissions.actions].sort()).toEqual(spelledOut.sort());
      }),
    );
  });

  test("every set of actions is stored and returned unchanged", () => {
    const all: Action[] = ["role:viewer", "role:editor", "admin"];
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: 1 }), (actions) => {
        const granted = toPermissions(actions);
        expect(permissionsFromText(actionsToText(granted))).toEqual(granted);
        expect(readPermissions(onTheWire(granted))).toEqual({ permissions: granted });
      }),
    );
  });
});

test("an admin outranks an editor, an editor a viewer, and a viewer a person without a role", () => {
  expect([rankOf("admin"), rankOf("editor"), rankOf("viewer"), rankOf(null)]).toEqual([2, 1, 0, -1]);
  expect([weaker("admin", "viewer"), weaker("viewer", "admin"), weaker("editor", "editor")]).toEqual([
    "viewer",
    "viewer",
    "editor",
  ]);
});
