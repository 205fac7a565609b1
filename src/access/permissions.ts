import { isSlowToList } from "../kernel/large-objects.ts";
import { type FieldError, fieldErrorsMax } from "../kernel/problem.ts";

export const roles = ["viewer", "editor", "admin"] as const;
export type Role = (typeof roles)[number];

/** The actions of the requirement, weakest first, with the role each grants. */
export const actionRoles = { "role:viewer": "viewer", "role:editor": "editor", admin: "admin" } as const;
export type Action = keyof typeof actionRoles;
const allActions = Object.keys(actionRoles) as Action[];

/** The one scope that every request shape of the requirement uses. */
export const scopeName = "platformDefault";

/** The granted actions; actions set to false are not kept. */
export interface Permissions {
  actions: Action[];
  role: Role;
}

export interface PermissionsOnTheWire {
  items: { platformDefault: { actions: Partial<Record<Action, boolean>> } };
}

/** A shape error is a 400, a value error a 422; if both occur, it is a 400. */
export type PermissionsError = FieldError & { kind: "shape" | "value" };

export const rankOf = (role: Role | null): number => (role === null ? -1 : roles.indexOf(role));
export const weaker = (a: Role, b: Role): Role => (rankOf(a) < rankOf(b) ? a : b);

/**
 * Parses the Permissions object of a request. Refuses unknown names: a typing error must not grant less or more than
 * was meant. Reads own members only, and uses only known names as keys.
 */
export function readPermissions(value: unknown): { permissions: Permissions } | { errors: PermissionsError[] } {
  const errors: PermissionsError[] = [];
  const granted = new Set<Action>();
  const items = memberObject(value, "items", "", errors);
  if (items) {
    refuseUnknown(value as Record<string, unknown>, ["items"], "", "unknown_member", errors);
    refuseUnknown(items, [scopeName], "/items", "unknown_scope", errors);
    if (Object.hasOwn(items, scopeName)) readScope(items[scopeName], granted, errors);
  }
  if (errors.length === 0 && granted.size === 0) {
    errors.push(
      valueError(
        `/items/${scopeName}/actions`,
        "nothing_granted",
        "At least one action must be true; to take access away, remove the user.",
      ),
    );
  }
  if (errors.length > 0) return { errors };
  return { permissions: toPermissions([...granted]) };
}

function readScope(scope: unknown, granted: Set<Action>, errors: PermissionsError[]): void {
  const path = `/items/${scopeName}`;
  const actions = memberObject(scope, "actions", path, errors);
  if (!actions) return;
  refuseUnknown(scope as Record<string, unknown>, ["actions"], path, "unknown_member", errors);
  refuseUnknown(actions, allActions, `${path}/actions`, "unknown_action", errors);
  for (const action of allActions) {
    if (!Object.hasOwn(actions, action)) continue;
    const wanted = actions[action];
    if (typeof wanted !== "boolean") {
      errors.push(shapeError(`${path}/actions/${action}`, "An action is true or false."));
    } else if (wanted) granted.add(action);
  }
}

function memberObject(
  parent: unknown,
  name: string,
  path: string,
  errors: PermissionsError[],
): Record<string, unknown> | null {
  if (!isObject(parent)) {
    errors.push(shapeError(path, "Expected an object."));
    return null;
  }
  const member = Object.hasOwn(parent, name) ? parent[name] : undefined;
  if (isObject(member)) return member;
  errors.push(shapeError(`${path}/${name}`, member === undefined ? "This member is required." : "Expected an object."));
  return null;
}

function refuseUnknown(
  object: Record<string, unknown>,
  known: readonly string[],
  path: string,
  code: string,
  errors: PermissionsError[],
): void {
  // Listing very many names would block the event loop, and so would an error for each.
  if (isSlowToList(object)) {
    errors.push(valueError(path, code, `Too many members; known are ${known.join(", ")}.`));
    return;
  }
  for (const name of Object.keys(object)) {
    if (errors.length >= fieldErrorsMax) return;
    if (known.includes(name)) continue;
    errors.push(valueError(`${path}/${escapePointer(name)}`, code, `Unknown name; known are ${known.join(", ")}.`));
  }
}

const shapeError = (pointer: string, detail: string): PermissionsError => ({
  kind: "shape",
  pointer,
  code: "invalid_type",
  detail,
});
const valueError = (pointer: string, code: string, detail: string): PermissionsError => ({
  kind: "value",
  pointer,
  code,
  detail,
});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const escapePointer = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** Actions add up; the strongest determines the role. */
export function toPermissions(actions: Action[]): Permissions {
  const sorted = allActions.filter((action) => actions.includes(action));
  const strongest = sorted.at(-1);
  if (!strongest) throw new Error("Permissions without an action were let through.");
  return { actions: sorted, role: actionRoles[strongest] };
}

/** Stores the action names, weakest first, separated by spaces. */
export const actionsToText = (permissions: Permissions): string => permissions.actions.join(" ");
export const permissionsFromText = (text: string): Permissions => toPermissions(text.split(" ") as Action[]);

export const onTheWire = (permissions: Permissions): PermissionsOnTheWire => ({
  items: { platformDefault: { actions: Object.fromEntries(permissions.actions.map((action) => [action, true])) } },
});
