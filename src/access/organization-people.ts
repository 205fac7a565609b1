import { Problem } from "../kernel/problem.ts";
import { type Deactivation, deactivate, reactivate } from "./deactivation.ts";
import type { OrganizationRole, Scope } from "./scope.ts";
import { findUser, hasOtherActiveOwner, isRemoved, listUsersOf, setOrganizationRole, type User } from "./users.ts";

/** All people of the organization, for its owner. */
export const listPeople = (scope: Scope, page: { after: string; limit: number }): Promise<User[]> =>
  listUsersOf(scope.db, scope.actor.organizationId, "person", page);

/**
 * For organizations without an identity provider. An organization keeps one active owner, because only an owner can
 * repair it.
 */
export async function deactivateInOrganization(scope: Scope, userId: string): Promise<Deactivation> {
  const user = await requireColleague(scope, userId);
  if (user.organizationRole === "owner" && !(await hasOtherActiveOwner(scope.db, user)))
    throw new Problem("last_owner");
  return deactivate(scope, user);
}

export async function reactivateInOrganization(scope: Scope, userId: string): Promise<{ keysRestored: number }> {
  return reactivate(scope, await requireColleague(scope, userId));
}

/**
 * An owner appoints another owner, or steps down. A service user is never an owner: there would be no person to ask.
 */
export async function changeOrganizationRole(scope: Scope, userId: string, role: OrganizationRole): Promise<User> {
  const user = await requireColleague(scope, userId);
  if (user.kind === "service") throw new Problem("user_not_found", "A service user has no role in the organization.");
  if (
    role === "member" &&
    user.organizationRole === "owner" &&
    user.active &&
    !(await hasOtherActiveOwner(scope.db, user))
  ) {
    throw new Problem("last_owner");
  }
  await setOrganizationRole(scope.db, userId, role);
  return { ...user, organizationRole: role };
}

/** An account that its directory deleted looks absent. Only the directory can restore it. */
async function requireColleague(scope: Scope, userId: string): Promise<User> {
  const user = await findUser(scope.db, userId);
  if (user?.organizationId !== scope.actor.organizationId) throw new Problem("user_not_found");
  if (await isRemoved(scope.db, userId)) throw new Problem("user_not_found");
  return user;
}
