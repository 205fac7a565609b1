import type { Db } from "../../store/db.ts";
import { actionRoles, type Permissions, toPermissions } from "../permissions.ts";
import { inBatches, marks, rowMarks } from "./batches.ts";

export interface Group {
  id: string;
  directoryId: string;
  displayName: string;
  externalId: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface GroupRow {
  id: string;
  directory_id: string;
  display_name: string;
  external_id: string | null;
  created_at: string;
  updated_at: string;
}

export const toGroup = (row: GroupRow): Group => ({
  id: row.id,
  directoryId: row.directory_id,
  displayName: row.display_name,
  externalId: row.external_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export async function insertGroup(db: Db, group: Group, nameKey: string): Promise<void> {
  await db.query(
    `insert into directory_groups (id, directory_id, display_name, display_name_key, external_id, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [group.id, group.directoryId, group.displayName, nameKey, group.externalId, group.createdAt, group.updatedAt],
  );
}

export async function updateGroupRow(db: Db, group: Group, nameKey: string): Promise<void> {
  await db.query(
    `update directory_groups set display_name = $2, display_name_key = $3, external_id = $4, updated_at = $5 where id = $1`,
    [group.id, group.displayName, nameKey, group.externalId, group.updatedAt],
  );
}

export async function findGroupRow(db: Db, id: string): Promise<Group | null> {
  const [row] = await db.query<GroupRow>("select * from directory_groups where id = $1", [id]);
  return row ? toGroup(row) : null;
}

/** Others that have the name or the external id. */
export async function findGroupHolders(
  db: Db,
  directoryId: string,
  nameKey: string,
  externalId: string | null,
): Promise<{ byName: string | null; byExternalId: string | null }> {
  const [named] = await db.query<{ id: string }>(
    "select id from directory_groups where directory_id = $1 and display_name_key = $2",
    [directoryId, nameKey],
  );
  const [known] =
    externalId === null
      ? []
      : await db.query<{ id: string }>("select id from directory_groups where directory_id = $1 and external_id = $2", [
          directoryId,
          externalId,
        ]);
  return { byName: named?.id ?? null, byExternalId: known?.id ?? null };
}

export async function deleteGroupRows(db: Db, id: string): Promise<void> {
  await db.query("delete from directory_group_roles where group_id = $1", [id]);
  await db.query("delete from directory_group_members where group_id = $1", [id]);
  await db.query("delete from directory_groups where id = $1", [id]);
}

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

export interface GroupRole {
  groupId: string;
  projectId: string;
  permissions: Permissions;
}

interface RoleRow {
  group_id: string;
  project_id: string;
  viewer: number;
  editor: number;
  admin: number;
}

function toGroupRole(row: RoleRow): GroupRole {
  const names = Object.keys(actionRoles) as (keyof typeof actionRoles)[];
  const granted = names.filter((action) => row[actionRoles[action]] === 1);
  return { groupId: row.group_id, projectId: row.project_id, permissions: toPermissions(granted) };
}

export async function listRolesOf(db: Db, groupIds: string[]): Promise<GroupRole[]> {
  const roles: GroupRole[] = [];
  for (const batch of inBatches(groupIds)) {
    const rows = await db.query<RoleRow>(
      `select * from directory_group_roles where group_id in (${marks(batch.length, 1)}) order by group_id, project_id`,
      batch,
    );
    roles.push(...rows.map(toGroupRole));
  }
  return roles;
}

export async function replaceRoles(db: Db, groupId: string, roles: Omit<GroupRole, "groupId">[]): Promise<void> {
  await db.query("delete from directory_group_roles where group_id = $1", [groupId]);
  for (const { projectId, permissions } of roles) {
    const has = (action: keyof typeof actionRoles): number => (permissions.actions.includes(action) ? 1 : 0);
    await db.query(
      "insert into directory_group_roles (group_id, project_id, viewer, editor, admin) values ($1, $2, $3, $4, $5)",
      [groupId, projectId, has("role:viewer"), has("role:editor"), has("admin")],
    );
  }
}

export interface GroupSeen extends Group {
  members: number;
}

export async function listGroupsWithCount(
  db: Db,
  directoryId: string,
  page: { after: string; limit: number },
): Promise<GroupSeen[]> {
  const rows = await db.query<GroupRow & { members: number }>(
    `select g.*, (select count(*) from directory_group_members m where m.group_id = g.id) as members
       from directory_groups g where g.directory_id = $1 and g.id > $2 order by g.id limit $3`,
    [directoryId, page.after, page.limit],
  );
  return rows.map((row) => ({ ...toGroup(row), members: row.members }));
}
