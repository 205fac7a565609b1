import { Problem } from "../kernel/problem.ts";
import { type Deactivation, deactivate, reactivate } from "./deactivation.ts";
import type { OrganizationRole, Scope } from "./scope.ts";
import {
  findAccount,
  hasOtherOwner,
  isRemovedAccount,
  keepOrganizationRole,
  listAccountsIn,
  type User,
} from "./users.ts";

/** Everyone in the organization, for its owner. */
export const listPeople = (scope: Scope, page: { after: string; limit: number }): Promise<User[]> =>
  listAccountsIn(scope.db, scope.actor.organizationId, "person", page);

/** By hand, where there is no identity provider to do it. An organization keeps one active owner: nobody else could repair it. */
export async function deactivateInOrganization(scope: Scope, userId: string): Promise<Deactivation> {
  const user = await requireColleague(scope, userId);
  if (user.organizationRole === "owner" && !(await hasOtherOwner(scope.db, user))) throw new Problem("last_owner");
  return deactivate(scope, user);
}

export async function reactivateInOrganization(scope: Scope, userId: string): Promise<{ keysRestored: number }> {
  return reactivate(scope, await requireColleague(scope, userId));
}

/** An owner makes another owner, or ceases to be one; a service user is never one: nobody could ask it to repair anything. */
export async function changeOrganizationRole(scope: Scope, userId: string, role: OrganizationRole): Promise<User> {
  const user = await requireColleague(scope, userId);
  if (user.kind === "service") throw new Problem("user_not_found", "A service user has no place of its own here.");
  if (role === "member" && user.organizationRole === "owner" && user.active && !(await hasOtherOwner(scope.db, user))) {
    throw new Problem("last_owner");
  }
  await keepOrganizationRole(scope.db, userId, role);
  return { ...user, organizationRole: role };
}

/** Whom the directory has deleted is in no list, and only the directory brings them back. */
async function requireColleague(scope: Scope, userId: string): Promise<User> {
  const user = await findAccount(scope.db, userId);
  if (user?.organizationId !== scope.actor.organizationId) throw new Problem("user_not_found");
  if (await isRemovedAccount(scope.db, userId)) throw new Problem("user_not_found");
  return user;
}
