import { Problem } from "../kernel/problem.ts";
import type { Permissions } from "./permissions.ts";
import {
  deleteMembership,
  findMember,
  hasOtherActiveAdmin,
  insertMembership,
  listMembers as listMemberRows,
  type Member,
  updateMembership,
} from "./project-members.store.ts";
import { type AnyScope, projectOf, type Scope } from "./scope.ts";

export type { Member } from "./project-members.store.ts";
export { findMember, projectsLeftWithoutAdmin } from "./project-members.store.ts";

export const listMembers = (scope: Scope, page: { after: string; limit: number }): Promise<Member[]> =>
  listMemberRows(scope.db, projectOf(scope), page);

/** Adds a person of the organization to a project. An existing member keeps their role. */
export const addMember = (
  scope: AnyScope,
  projectId: string,
  userId: string,
  permissions: Permissions,
): Promise<void> =>
  insertMembership(scope.db, { projectId, userId, permissions, createdAt: scope.now().toISOString() });

/** Replaces the person's permissions in the project; does not merge. */
export async function changeRole(scope: Scope, userId: string, permissions: Permissions): Promise<Member> {
  const member = await requireMember(scope, userId);
  refuseManaged(member);
  if (permissions.role !== "admin") await refuseLastAdmin(scope, member);
  await updateMembership(scope.db, member.projectId, userId, permissions);
  return { ...member, permissions };
}

/** Ends the person's membership of this project. */
export async function endMembership(scope: Scope, userId: string): Promise<void> {
  const member = await requireMember(scope, userId);
  refuseManaged(member);
  await refuseLastAdmin(scope, member);
  await deleteMembership(scope.db, member.projectId, userId);
}

async function requireMember(scope: Scope, userId: string): Promise<Member> {
  const member = await findMember(scope.db, projectOf(scope), userId);
  if (!member) throw new Problem("user_not_found");
  return member;
}

/**
 * A membership from a directory's group is changed in the directory: the next sync would silently undo a manual change.
 */
function refuseManaged({ managed }: Member): void {
  if (managed) throw new Problem("managed_by_directory");
}

/** Every project keeps at least one active admin through this API. Deactivation ignores this rule. */
async function refuseLastAdmin(scope: Scope, member: Member): Promise<void> {
  if (member.permissions.role !== "admin" || !member.active) return;
  if (await hasOtherActiveAdmin(scope.db, member.projectId, member.userId)) return;
  throw new Problem("last_admin", "This person is the project's last active admin.");
}
