import type { Db } from "../../store/db.ts";
import { inBatches, marks, rowMarks } from "./batches.ts";

export async function listMemberIds(db: Db, groupId: string): Promise<string[]> {
  const rows = await db.query<{ user_id: string }>(
    "select user_id from directory_group_members where group_id = $1 order by user_id",
    [groupId],
  );
  return rows.map((row) => row.user_id);
}

/** Of these, the ones who are in the group. */
export async function membersAmong(db: Db, groupId: string, userIds: string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const batch of inBatches(userIds)) {
    const rows = await db.query<{ user_id: string }>(
      `select user_id from directory_group_members where group_id = $1 and user_id in (${marks(batch.length, 2)})`,
      [groupId, ...batch],
    );
    for (const row of rows) found.add(row.user_id);
  }
  return found;
}

/** Of these, the ones who are people of the directory. */
export async function peopleAmong(db: Db, directoryId: string, userIds: string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const batch of inBatches(userIds)) {
    const rows = await db.query<{ user_id: string }>(
      `select user_id from directory_people
        where directory_id = $1 and deleted_at is null and user_id in (${marks(batch.length, 2)})`,
      [directoryId, ...batch],
    );
    for (const row of rows) found.add(row.user_id);
  }
  return found;
}

export async function insertMembers(db: Db, groupId: string, userIds: string[]): Promise<void> {
  for (const batch of inBatches(userIds)) {
    await db.query(
      `insert into directory_group_members (group_id, user_id) values ${rowMarks(batch.length, 2)}
       on conflict (group_id, user_id) do nothing`,
      batch.flatMap((userId) => [groupId, userId]),
    );
  }
}

export async function deleteMembers(db: Db, groupId: string, userIds: string[]): Promise<void> {
  for (const batch of inBatches(userIds)) {
    await db.query(
      `delete from directory_group_members where group_id = $1 and user_id in (${marks(batch.length, 2)})`,
      [groupId, ...batch],
    );
  }
}

/** One person in one group; `display` is the name of whichever of the two was asked for. */
export interface GroupMember {
  groupId: string;
  userId: string;
  display: string;
}

interface GroupMemberRow {
  group_id: string;
  user_id: string;
  display: string;
}

export const listGroupMembers = (db: Db, groupIds: string[]): Promise<GroupMember[]> =>
  listMembers(
    db,
    groupIds,
    (among) => `select m.group_id, m.user_id, p.display
     from directory_group_members m join directory_people p on p.user_id = m.user_id
    where m.group_id ${among} order by m.group_id, m.user_id`,
  );

/** The groups of these people, with their names. */
export const listGroupsOf = (db: Db, userIds: string[]): Promise<GroupMember[]> =>
  listMembers(
    db,
    userIds,
    (among) => `select m.group_id, m.user_id, g.display_name as display
     from directory_group_members m join directory_groups g on g.id = m.group_id
    where m.user_id ${among} order by m.user_id, m.group_id`,
  );

async function listMembers(db: Db, ids: string[], sqlFor: (among: string) => string): Promise<GroupMember[]> {
  const members: GroupMember[] = [];
  for (const batch of inBatches(ids)) {
    const rows = await db.query<GroupMemberRow>(sqlFor(`in (${marks(batch.length, 1)})`), batch);
    for (const row of rows) members.push({ groupId: row.group_id, userId: row.user_id, display: row.display });
  }
  return members;
}

export async function countMembersOf(db: Db, groupIds: string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const batch of inBatches(groupIds)) {
    const rows = await db.query<{ group_id: string; members: number }>(
      `select group_id, count(*) as members from directory_group_members
        where group_id in (${marks(batch.length, 1)}) group by group_id`,
      batch,
    );
    for (const row of rows) counts.set(row.group_id, row.members);
  }
  return counts;
}
