import type { Role } from "../../state/use-who.ts";

const actions = { viewer: "role:viewer", editor: "role:editor", admin: "admin" } as const;

/** The wire form of a role. */
export const permissionsOf = (role: Role) => ({ items: { platformDefault: { actions: { [actions[role]]: true } } } });

export const roleOptions: { value: Role; label: string }[] = [
  { value: "viewer", label: "Viewer" },
  { value: "editor", label: "Editor" },
  { value: "admin", label: "Admin" },
];

export const roleLabel = (role: Role): string => roleOptions.find(({ value }) => value === role)?.label ?? role;

export function roleOf(permissions: { items: { platformDefault: { actions: Record<string, boolean> } } }): Role {
  const granted = permissions.items.platformDefault.actions;
  if (granted.admin) return "admin";
  return granted["role:editor"] ? "editor" : "viewer";
}
