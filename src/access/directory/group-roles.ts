import { regionOfId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { refuseOtherRegion } from "../callers/wrong-region.ts";
import type { Permissions } from "../permissions.ts";
import { findProject } from "../projects.ts";
import type { Scope } from "../scope.ts";
import { requireDirectory } from "./directories.ts";
import { memberIdsOf } from "./group-members.ts";
import { findGroup, type Group, joiningByGroup, listGroupsWithCount, listRolesOf, replaceRoles } from "./groups.ts";
import { recomputeMemberships } from "./memberships.store.ts";

export interface RoleWish {
  projectId: string;
  permissions: Permissions;
}

export interface GroupWithRoles extends Group {
  members: number;
  roles: RoleWish[];
}

export async function listGroups(
  scope: Scope,
  directoryId: string,
  page: { after: string; limit: number },
): Promise<GroupWithRoles[]> {
  await requireDirectory(scope, directoryId);
  const groups = await listGroupsWithCount(scope.db, directoryId, page);
  const roles = Map.groupBy(
    await listRolesOf(
      scope.db,
      groups.map(({ id }) => id),
    ),
    ({ groupId }) => groupId,
  );
  return groups.map((group) => ({ ...group, roles: roles.get(group.id) ?? [] }));
}

/** Replaces the projects and roles that a group grants, and applies them to all its members at once. */
export async function setGroupRoles(
  scope: Scope,
  directoryId: string,
  groupId: string,
  roles: RoleWish[],
): Promise<Group> {
  await requireDirectory(scope, directoryId);
  const group = await findGroup(scope.db, directoryId, groupId);
  if (!group) throw new Problem("group_not_found");
  for (const { projectId } of roles) {
    refuseOtherRegion(scope.region, regionOfId(projectId));
    const project = await findProject(scope.db, projectId);
    if (project?.organizationId !== scope.actor.organizationId) throw new Problem("project_not_found");
  }
  await replaceRoles(scope.db, groupId, roles);
  const members = await memberIdsOf(scope.db, groupId);
  const joined = await recomputeMemberships(scope.db, members, scope.now().toISOString());
  scope.auditNotes?.rows.push(...joined.map((each) => joiningByGroup(each, group)));
  return group;
}
