import { type Role, weaker } from "../permissions.ts";
import type { OrganizationRole, Person } from "../scope.ts";

/** "The organization's owner repairs what is left without an admin": an owner acts as admin in each of its projects. */
export const roleHeld = (organizationRole: OrganizationRole, role: Role | null): Role | null =>
  organizationRole === "owner" ? "admin" : role;

/** The caller's role, limited by a restricted key. */
export function roleOfCaller(
  { organizationRole, keyMaxRole }: Pick<Person, "organizationRole" | "keyMaxRole">,
  role: Role | null,
): Role | null {
  const held = roleHeld(organizationRole, role);
  return held && keyMaxRole ? weaker(held, keyMaxRole) : held;
}
