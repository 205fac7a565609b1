import { newId } from "../../kernel/ids.ts";
import type { Db } from "../../store/db.ts";
import type { AuditEntry } from "../audit/audit.ts";
import { type DirectoryChange, DirectoryConflict } from "./directory-change.ts";
import { changeMembers, deleteMembers, type MemberChange, memberIdsOf } from "./group-members.ts";
import {
  deleteGroupRows,
  findGroupNamed,
  findGroupRow,
  type Group,
  insertGroup,
  listRolesOf,
  updateGroupRow,
} from "./groups.store.ts";
import { type Joined, recomputeMemberships } from "./memberships.store.ts";

export { type GroupMember, listGroupsOf } from "./group-members.ts";
export type { Group, GroupRow } from "./groups.store.ts";
export { bumpGroupRevisions, listGroupsWithCount, listRolesOf, replaceRoles, toGroup } from "./groups.store.ts";

export interface GroupWish {
  displayName: string;
  externalId: string | null;
}

export const findGroup = async (db: Db, directoryId: string, id: string): Promise<Group | null> => {
  const group = await findGroupRow(db, id);
  return group?.directoryId === directoryId ? group : null;
};

export async function createGroup(change: DirectoryChange, wish: GroupWish, members: MemberChange): Promise<Group> {
  const { scope } = change;
  await refuseTaken(change, wish, null);
  const now = scope.now().toISOString();
  const group: Group = {
    id: newId("group", scope.region),
    directoryId: scope.actor.directoryId,
    ...wish,
    createdAt: now,
    updatedAt: now,
    revision: 0,
  };
  await insertGroup(scope.db, group, keyOf(wish.displayName));
  const { added } = await applyMemberChange(change, group, members);
  await change.audit({
    action: "group.created",
    target: group.id,
    details: { display_name: group.displayName, members_added: added },
  });
  return group;
}

/** Without a difference it writes no row and announces nothing. */
export async function updateGroup(
  change: DirectoryChange,
  before: Group,
  wish: GroupWish,
  members: MemberChange | null,
): Promise<Group> {
  const { scope } = change;
  const isRenamed = wish.displayName !== before.displayName || wish.externalId !== before.externalId;
  if (isRenamed) await refuseTaken(change, wish, before.id);
  const { added, removed } = members ? await applyMemberChange(change, before, members) : { added: 0, removed: 0 };
  if (!isRenamed && added + removed === 0) return before;
  const group: Group = { ...before, ...wish, updatedAt: scope.now().toISOString(), revision: before.revision + 1 };
  await updateGroupRow(scope.db, group, keyOf(wish.displayName));
  await change.audit({
    action: "group.updated",
    target: group.id,
    details: { display_name: group.displayName, members_added: added, members_removed: removed },
  });
  return group;
}

/** Members lose the roles that only this group gave them. */
export async function deleteGroup(change: DirectoryChange, group: Group): Promise<void> {
  const { scope } = change;
  const memberIds = await memberIdsOf(scope.db, group.id);
  const gaveAnything = (await listRolesOf(scope.db, [group.id])).length > 0;
  await deleteMembers(scope.db, group.id, memberIds);
  await deleteGroupRows(scope.db, group.id);
  if (gaveAnything) await recomputeMemberships(scope.db, memberIds, scope.now().toISOString());
  await change.audit({
    action: "group.deleted",
    target: group.id,
    details: { display_name: group.displayName, members_removed: memberIds.length },
  });
}

/** Changes the members, updates the roles that the group gives them, and returns how many changed. */
async function applyMemberChange(
  { scope, audit }: DirectoryChange,
  group: Group,
  members: MemberChange,
): Promise<{ added: number; removed: number }> {
  const { added, removed } = await changeMembers(scope.db, group, members);
  const moved = [...added, ...removed];
  if (moved.length > 0 && (await listRolesOf(scope.db, [group.id])).length > 0) {
    const joined = await recomputeMemberships(scope.db, moved, scope.now().toISOString());
    for (const each of joined) await audit(joiningByGroup(each, group));
  }
  return { added: added.length, removed: removed.length };
}

const namedMax = 100;

/** One row for each project, for its admins. A group may bring a hundred thousand people. */
export const joiningByGroup = ({ projectId, userIds }: Joined, group: Group): AuditEntry => ({
  action: "user.joined",
  target: userIds.length === 1 ? (userIds[0] ?? null) : group.id,
  projectId,
  details: {
    group_id: group.id,
    display_name: group.displayName,
    people: userIds.length,
    ...(userIds.length > 1 && { user_ids: userIds.slice(0, namedMax) }),
  },
});

const keyOf = (displayName: string): string => displayName.toLowerCase();

/** Names are unique, because providers find their groups by them. An external id need not be (RFC 7643, 3.1). */
async function refuseTaken({ scope }: DirectoryChange, wish: GroupWish, self: string | null): Promise<void> {
  const holder = await findGroupNamed(scope.db, scope.actor.directoryId, keyOf(wish.displayName));
  if (holder !== null && holder !== self) {
    throw new DirectoryConflict("The displayName is taken by another group of this directory.");
  }
}
