import { giveWay } from "../../kernel/work-in-slices.ts";
import type { Db } from "../../store/db.ts";
import { UnknownMember } from "./directory-change.ts";
import { deleteMembers, insertMembers, listMemberIds, membersAmong, peopleAmong } from "./group-members.store.ts";

export type { GroupMember } from "./group-members.store.ts";
export { countMembersOf, deleteMembers, hasMoreMembersThan, listGroupsOf, memberPages } from "./group-members.store.ts";

/** A change of a group's members. With `all`, `add` replaces the whole list. */
export interface MemberChange {
  all: boolean;
  add: Set<string>;
  remove: Set<string>;
}

export const memberIdsOf = async (db: Db, groupId: string): Promise<string[]> => [
  ...(await listMemberIds(db, groupId)),
];

const idsPerTurn = 1024;

/** Filters ids and lets other requests run in between. */
async function filterInTurns(ids: Iterable<string>, isTrue: (id: string) => boolean): Promise<string[]> {
  const turn = giveWay();
  const found: string[] = [];
  let seen = 0;
  for (const id of ids) {
    if (isTrue(id)) found.push(id);
    if (++seen % idsPerTurn === 0) await turn();
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
  const added = await filterInTurns(add, (id) => !present.has(id));
  const removed = await filterInTurns(all ? present : remove, (id) => present.has(id) && !add.has(id));
  const known = await peopleAmong(db, group.directoryId, added);
  const [unknown] = await filterInTurns(added, (id) => !known.has(id));
  // Signalbox generates ids, so an unknown id can never become valid later.
  if (unknown !== undefined) throw new UnknownMember(`There is no person ${unknown.slice(0, 100)} in this directory.`);
  await insertMembers(db, group.id, added);
  await deleteMembers(db, group.id, removed);
  return { added, removed };
}
