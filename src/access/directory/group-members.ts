import { giveWay } from "../../kernel/give-way.ts";
import type { Db } from "../../store/db.ts";
import { UnknownMember } from "./change.ts";
import {
  deleteMembers,
  type GroupMember,
  insertMembers,
  listGroupsOf,
  listMemberIds,
  membersAmong,
  peopleAmong,
} from "./group-members.store.ts";

export type { GroupMember } from "./group-members.store.ts";
export { countMembersOf, hasMoreMembersThan, memberPages } from "./group-members.store.ts";

/** A change of a group's members. With `all`, `add` replaces the whole list. */
export interface MemberChange {
  all: boolean;
  add: Set<string>;
  remove: Set<string>;
}

export const groupsOfPeople = (db: Db, userIds: string[]): Promise<GroupMember[]> => listGroupsOf(db, userIds);
export const removeMembers = (db: Db, groupId: string, userIds: string[]): Promise<void> =>
  deleteMembers(db, groupId, userIds);
export const memberIdsOf = async (db: Db, groupId: string): Promise<string[]> => [
  ...(await listMemberIds(db, groupId)),
];

const idsBetweenLooks = 1024;

/** Filters ids and lets other requests run in between. */
async function those(ids: Iterable<string>, isTrue: (id: string) => boolean): Promise<string[]> {
  const turn = giveWay();
  const found: string[] = [];
  let seen = 0;
  for (const id of ids) {
    if (isTrue(id)) found.push(id);
    if (++seen % idsBetweenLooks === 0) await turn();
  }
  return found;
}

/** Writes differences only. Adding a member again, or removing a person who is no member, has no effect. */
export async function changeMembers(
  db: Db,
  group: { id: string; directoryId: string },
  { all, add, remove }: MemberChange,
): Promise<{ added: string[]; removed: string[] }> {
  const present = all ? await listMemberIds(db, group.id) : await membersAmong(db, group.id, [...add, ...remove]);
  const added = await those(add, (id) => !present.has(id));
  const removed = await those(all ? present : remove, (id) => present.has(id) && !add.has(id));
  const known = await peopleAmong(db, group.directoryId, added);
  const [unknown] = await those(added, (id) => !known.has(id));
  // Signalbox generates ids, so an unknown id can never become valid later.
  if (unknown !== undefined) throw new UnknownMember(`There is no person ${unknown.slice(0, 100)} in this directory.`);
  await insertMembers(db, group.id, added);
  await deleteMembers(db, group.id, removed);
  return { added, removed };
}
