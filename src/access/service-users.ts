import { newId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import { type ApiKey, createKey, type KeyWish, listKeysOf, type NewKey } from "./callers/keys.ts";
import type { Permissions } from "./permissions.ts";
import { addMember, findMember } from "./project-members.ts";
import { projectOf, type Scope } from "./scope.ts";
import { findUser, insertUser, listUsersOf, type User } from "./users.ts";

/**
 * Creates an account for automation. It has keys and roles like a person, belongs to the organization and not to a
 * person, and cannot sign in. "A person leaving does not stop the pipeline."
 */
export async function createServiceUser(scope: Scope, name: string): Promise<NewKey & { user: User }> {
  const id = newId("user", scope.region);
  const user: User = {
    id,
    organizationId: scope.actor.organizationId,
    // Mail cannot reach it, and no sign-in or directory finds it by address.
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
  await insertUser(scope.db, user);
  return { user, ...(await createKey(scope, id, { label: "first key" })) };
}

/** All service users of the organization; for a key restricted to projects, those in these projects. */
export const listServiceUsers = ({ db, actor }: Scope, page: { after: string; limit: number }): Promise<User[]> =>
  listUsersOf(db, actor.organizationId, "service", page, actor.keyProjectIds);

export async function createServiceKey(scope: Scope, userId: string, wanted: KeyWish): Promise<NewKey> {
  const user = await requireServiceUser(scope, userId);
  if (!user.active) throw new Problem("user_deactivated", "This service user is deactivated.");
  return createKey(scope, userId, wanted);
}

/** The keys of one service user, revoked and expired ones too. */
export async function listServiceKeys(
  scope: Scope,
  userId: string,
  page: { after: string; limit: number },
): Promise<ApiKey[]> {
  await requireServiceUser(scope, userId);
  return listKeysOf(scope.db, userId, page);
}

/** A project's admin adds a service user; it is then a member like any other. */
export async function addServiceUser(scope: Scope, userId: string, permissions: Permissions): Promise<void> {
  const user = await requireServiceUser(scope, userId);
  const projectId = projectOf(scope);
  if (!user.active) throw new Problem("user_deactivated", "This service user is deactivated.");
  if (await findMember(scope.db, projectId, userId)) {
    throw new Problem("already_member", undefined, { more: { user_id: userId } });
  }
  await addMember(scope, projectId, userId, permissions);
}

/** Of the caller's organization; any other looks absent. */
export async function requireServiceUser(scope: Scope, userId: string): Promise<User> {
  const user = await findUser(scope.db, userId);
  if (user?.organizationId !== scope.actor.organizationId || user.kind !== "service")
    throw new Problem("user_not_found");
  return user;
}
