import { newId } from "../../kernel/ids.ts";
import type { Db } from "../../store/db.ts";
import { type DirectoryChange, DirectoryConflict, UnknownMember } from "./change.ts";
import {
  deleteGroupRows,
  deleteMembers,
  findGroupHolders,
  findGroupRow,
  type Group,
  type GroupMember,
  insertGroup,
  insertMembers,
  listGroupMembers,
  listGroupsOf,
  listMemberIds,
  listRolesOf,
  membersAmong,
  peopleAmong,
  updateGroupRow,
} from "./groups.store.ts";
import { settleMemberships } from "./memberships.ts";

export type { Group, GroupMember, GroupRow } from "./groups.store.ts";
export { countMembersOf, listGroupsWithCount, listRolesOf, replaceRoles, toGroup } from "./groups.store.ts";

export interface GroupWish {
  displayName: string;
  externalId: string | null;
}

/** What becomes of a group's members: these instead of all there are, or these more and those less. */
export interface MemberChange {
  all: boolean;
  add: Set<string>;
  remove: Set<string>;
}

export const findGroup = async (db: Db, directoryId: string, id: string): Promise<Group | null> => {
  const group = await findGroupRow(db, id);
  return group?.directoryId === directoryId ? group : null;
};

export const membersOfGroups = (db: Db, groupIds: string[]): Promise<GroupMember[]> => listGroupMembers(db, groupIds);
export const groupsOfPeople = (db: Db, userIds: string[]): Promise<GroupMember[]> => listGroupsOf(db, userIds);

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
  };
  await insertGroup(scope.db, group, keyOf(wish.displayName));
  const { added } = await changeMembers(change, group, members);
  await change.note({
    action: "group.created",
    target: group.id,
    details: { display_name: group.displayName, members_added: added },
  });
  return group;
}

/** Where nothing is different, nothing is written and nobody is told. */
export async function updateGroup(
  change: DirectoryChange,
  before: Group,
  wish: GroupWish,
  members: MemberChange | null,
): Promise<Group> {
  const { scope } = change;
  const isRenamed = wish.displayName !== before.displayName || wish.externalId !== before.externalId;
  if (isRenamed) await refuseTaken(change, wish, before.id);
  const { added, removed } = members ? await changeMembers(change, before, members) : { added: 0, removed: 0 };
  if (!isRenamed && added + removed === 0) return before;
  const group: Group = { ...before, ...wish, updatedAt: scope.now().toISOString() };
  await updateGroupRow(scope.db, group, keyOf(wish.displayName));
  await change.note({
    action: "group.updated",
    target: group.id,
    details: { display_name: group.displayName, members_added: added, members_removed: removed },
  });
  return group;
}

/** Who was in it only through the group loses what it gave. */
export async function deleteGroup(change: DirectoryChange, group: Group): Promise<void> {
  const { scope } = change;
  const memberIds = await listMemberIds(scope.db, group.id);
  const gaveAnything = (await listRolesOf(scope.db, [group.id])).length > 0;
  await deleteGroupRows(scope.db, group.id);
  if (gaveAnything) await settleMemberships(scope.db, memberIds, scope.now().toISOString());
  await change.note({
    action: "group.deleted",
    target: group.id,
    details: { display_name: group.displayName, members_removed: memberIds.length },
  });
}

const keyOf = (displayName: string): string => displayName.toLowerCase();

async function refuseTaken({ scope }: DirectoryChange, wish: GroupWish, self: string | null): Promise<void> {
  const nameKey = keyOf(wish.displayName);
  const holders = await findGroupHolders(scope.db, scope.actor.directoryId, nameKey, wish.externalId);
  if (holders.byName !== null && holders.byName !== self) {
    throw new DirectoryConflict("The displayName is taken by another group of this directory.");
  }
  if (holders.byExternalId !== null && holders.byExternalId !== self) {
    throw new DirectoryConflict("The externalId is taken by another group of this directory.");
  }
}

/** Only what differs is written; adding somebody who is in, or removing somebody who is not, is nothing. */
async function changeMembers(
  { scope }: DirectoryChange,
  group: Group,
  { all, add, remove }: MemberChange,
): Promise<{ added: number; removed: number }> {
  const { db } = scope;
  const touched = [...add, ...remove];
  const present = all ? new Set(await listMemberIds(db, group.id)) : await membersAmong(db, group.id, touched);
  const added = [...add].filter((id) => !present.has(id));
  const removed = (all ? [...present] : [...remove]).filter((id) => present.has(id) && !add.has(id));
  const known = await peopleAmong(db, group.directoryId, added);
  const unknown = added.find((id) => !known.has(id));
  // Ids are made here, so one that is not known can never become valid.
  if (unknown !== undefined) throw new UnknownMember(`There is no person ${unknown.slice(0, 100)} in this directory.`);
  await insertMembers(db, group.id, added);
  await deleteMembers(db, group.id, removed);
  if (added.length + removed.length > 0 && (await listRolesOf(db, [group.id])).length > 0) {
    await settleMemberships(db, [...added, ...removed], scope.now().toISOString());
  }
  return { added: added.length, removed: removed.length };
}
