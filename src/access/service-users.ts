import { newId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import { createKey, type KeyWish, type NewKey } from "./callers/keys.ts";
import { addMember, findMemberIn } from "./members.ts";
import type { Permissions } from "./permissions.ts";
import { projectOf, type Scope } from "./scope.ts";
import { findAccount, keepAccount, listAccountsIn, type User } from "./users.ts";

/**
 * An account for automation: it has keys and roles like a person, belongs to the organization and to nobody in it, and
 * cannot sign in. "A person leaving does not stop the pipeline."
 */
export async function createServiceUser(scope: Scope, name: string): Promise<NewKey & { user: User }> {
  const id = newId("user", scope.region);
  const user: User = {
    id,
    organizationId: scope.actor.organizationId,
    // No mail can reach it, and no sign-in or directory finds it by an address.
    email: `${id.replaceAll("_", "-")}@service-user.invalid`,
    emailKey: `no-address:${id}`,
    organizationRole: "member",
    active: true,
    kind: "service",
    name,
    emailVerifiedAt: null,
    createdAt: scope.now().toISOString(),
    deactivatedAt: null,
  };
  await keepAccount(scope.db, user);
  return { user, ...(await createKey(scope, id, { label: "first key" })) };
}

/** All of the organization's; of a key that is narrowed to projects, those that are in one of them. */
export const listServiceUsers = ({ db, actor }: Scope, page: { after: string; limit: number }): Promise<User[]> =>
  listAccountsIn(db, actor.organizationId, "service", page, actor.keyProjectIds);

export async function createServiceKey(scope: Scope, userId: string, wanted: KeyWish): Promise<NewKey> {
  const user = await requireServiceUser(scope, userId);
  if (!user.active) throw new Problem("user_deactivated", "This service user is deactivated.");
  return createKey(scope, userId, wanted);
}

/** A project's admin lets one in; from then on it is a member like any other. */
export async function addServiceUser(scope: Scope, userId: string, permissions: Permissions): Promise<void> {
  const user = await requireServiceUser(scope, userId);
  const projectId = projectOf(scope);
  if (!user.active) throw new Problem("user_deactivated", "This service user is deactivated.");
  if (await findMemberIn(scope.db, projectId, userId)) {
    throw new Problem("already_member", undefined, { more: { user_id: userId } });
  }
  await addMember(scope, projectId, userId, permissions);
}

/** Of one's own organization; everything else looks absent. */
export async function requireServiceUser(scope: Scope, userId: string): Promise<User> {
  const user = await findAccount(scope.db, userId);
  if (user?.organizationId !== scope.actor.organizationId || user.kind !== "service")
    throw new Problem("user_not_found");
  return user;
}
