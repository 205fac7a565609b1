import { giveWay } from "../../kernel/work-in-slices.ts";
import type { Db } from "../../store/db.ts";
import { inBatches, placeholders, rowPlaceholders } from "./batches.ts";

const pageMembers = 1000;

/** In the order of their ids, a page at a time: a group can have a hundred thousand members. */
async function* pagesOf<R extends { user_id: string }>(db: Db, groupId: string, sql: string): AsyncGenerator<R[]> {
  const turn = giveWay();
  for (let after = ""; ; ) {
    const rows = await db.query<R>(sql, [groupId, after, pageMembers]);
    if (rows.length > 0) yield rows;
    if (rows.length < pageMembers) return;
    after = rows.at(-1)?.user_id ?? "";
    await turn();
  }
}

export async function listMemberIds(db: Db, groupId: string): Promise<Set<string>> {
  const ids = new Set<string>();
  const sql =
    "select user_id from directory_group_members where group_id = $1 and user_id > $2 order by user_id limit $3";
  for await (const page of pagesOf(db, groupId, sql)) for (const row of page) ids.add(row.user_id);
  return ids;
}

/** The members of one group with their names. */
export async function* memberPages(db: Db, groupId: string): AsyncGenerator<GroupMember[]> {
  const sql = `select m.group_id, m.user_id, p.display
     from directory_group_members m join directory_people p on p.user_id = m.user_id
    where m.group_id = $1 and m.user_id > $2 order by m.user_id limit $3`;
  for await (const page of pagesOf<GroupMemberRow>(db, groupId, sql)) yield page.map(toMember);
}

/** Returns those of the people who are in the group. */
export async function membersAmong(db: Db, groupId: string, userIds: string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const batch of inBatches(userIds)) {
    const rows = await db.query<{ user_id: string }>(
      `select user_id from directory_group_members where group_id = $1 and user_id in (${placeholders(batch.length, 2)})`,
      [groupId, ...batch],
    );
    for (const row of rows) found.add(row.user_id);
  }
  return found;
}

/** Returns those of the people who belong to the directory. */
export async function peopleAmong(db: Db, directoryId: string, userIds: string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const batch of inBatches(userIds)) {
    const rows = await db.query<{ user_id: string }>(
      `select user_id from directory_people
        where directory_id = $1 and deleted_at is null and user_id in (${placeholders(batch.length, 2)})`,
      [directoryId, ...batch],
    );
    for (const row of rows) found.add(row.user_id);
  }
  return found;
}

export async function insertMembers(db: Db, groupId: string, userIds: string[]): Promise<void> {
  for await (const batch of inBatches(userIds)) {
    await db.query(
      `insert into directory_group_members (group_id, user_id) values ${rowPlaceholders(batch.length, 2)}
       on conflict (group_id, user_id) do nothing`,
      batch.flatMap((userId) => [groupId, userId]),
    );
  }
}

export async function deleteMembers(db: Db, groupId: string, userIds: string[]): Promise<void> {
  for await (const batch of inBatches(userIds)) {
    await db.query(
      `delete from directory_group_members where group_id = $1 and user_id in (${placeholders(batch.length, 2)})`,
      [groupId, ...batch],
    );
  }
}

/**
 * A person in a group. `display` is the person's name in a list of members, and the group's name in a list of groups.
 */
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

const toMember = (row: GroupMemberRow): GroupMember => ({
  groupId: row.group_id,
  userId: row.user_id,
  display: row.display,
});

/** The groups of these people, with their names. */
export async function listGroupsOf(db: Db, userIds: string[]): Promise<GroupMember[]> {
  const groups: GroupMember[] = [];
  for await (const batch of inBatches(userIds)) {
    const rows = await db.query<GroupMemberRow>(
      `select m.group_id, m.user_id, g.display_name as display
         from directory_group_members m join directory_groups g on g.id = m.group_id
        where m.user_id in (${placeholders(batch.length, 1)}) order by m.user_id, m.group_id`,
      batch,
    );
    for (const row of rows) groups.push(toMember(row));
  }
  return groups;
}

/** Stops counting at `count`, so it is cheap for a large group. */
export async function hasMoreMembersThan(db: Db, groupId: string, count: number): Promise<boolean> {
  const rows = await db.query("select 1 from directory_group_members where group_id = $1 limit 1 offset $2", [
    groupId,
    count,
  ]);
  return rows.length > 0;
}

export async function countMembersOf(db: Db, groupIds: string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const batch of inBatches(groupIds)) {
    const rows = await db.query<{ group_id: string; members: number }>(
      `select group_id, count(*) as members from directory_group_members
        where group_id in (${placeholders(batch.length, 1)}) group by group_id`,
      batch,
    );
    for (const row of rows) counts.set(row.group_id, row.members);
  }
  return counts;
}
