import { Problem } from "../kernel/problem.ts";
import { comeBack, type Deactivation, goDark } from "./deactivation.ts";
import type { Scope } from "./scope.ts";
import { findAccount, hasOtherOwner, listAccountsIn, type User } from "./users.ts";

/** Everyone in the organization, for its owner. */
export const listPeople = (scope: Scope, page: { after: string; limit: number }): Promise<User[]> =>
  listAccountsIn(scope.db, scope.actor.organizationId, "person", page);

/** By hand, where there is no identity provider to do it. An organization keeps one active owner: nobody else could repair it. */
export async function deactivateInOrganization(scope: Scope, userId: string): Promise<Deactivation> {
  const user = await requireColleague(scope, userId);
  if (user.organizationRole === "owner" && !(await hasOtherOwner(scope.db, user))) throw new Problem("last_owner");
  return goDark(scope, user);
}

export async function reactivateInOrganization(scope: Scope, userId: string): Promise<{ keysRestored: number }> {
  return comeBack(scope, await requireColleague(scope, userId));
}

async function requireColleague(scope: Scope, userId: string): Promise<User> {
  const user = await findAccount(scope.db, userId);
  if (user?.organizationId !== scope.actor.organizationId) throw new Problem("user_not_found");
  return user;
}
