import type { Db } from "../../store/db.ts";
import { actionRoles, type Permissions, toPermissions } from "../permissions.ts";
import { inBatches, placeholders } from "./batches.ts";

export interface Group {
  id: string;
  directoryId: string;
  displayName: string;
  externalId: string | null;
  createdAt: string;
  updatedAt: string;
  /** Increases with every change that a reader can see, including members and their names. */
  revision: number;
}

export interface GroupRow {
  id: string;
  directory_id: string;
  display_name: string;
  external_id: string | null;
  created_at: string;
  updated_at: string;
  revision: number;
}

export const toGroup = (row: GroupRow): Group => ({
  id: row.id,
  directoryId: row.directory_id,
  displayName: row.display_name,
  externalId: row.external_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  revision: row.revision,
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
    `update directory_groups set display_name = $2, display_name_key = $3, external_id = $4, updated_at = $5, revision = $6
      where id = $1`,
    [group.id, group.displayName, nameKey, group.externalId, group.updatedAt, group.revision],
  );
}

/** The groups of a person show a new name of theirs. */
export async function bumpGroupRevisions(db: Db, userId: string, at: string): Promise<void> {
  await db.query(
    `update directory_groups set revision = revision + 1, updated_at = $2
      where id in (select group_id from directory_group_members where user_id = $1)`,
    [userId, at],
  );
}

export async function findGroupRow(db: Db, id: string): Promise<Group | null> {
  const [row] = await db.query<GroupRow>("select * from directory_groups where id = $1", [id]);
  return row ? toGroup(row) : null;
}

export async function findGroupNamed(db: Db, directoryId: string, nameKey: string): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(
    "select id from directory_groups where directory_id = $1 and display_name_key = $2",
    [directoryId, nameKey],
  );
  return row?.id ?? null;
}

/** The caller has removed the members already. */
export async function deleteGroupRows(db: Db, id: string): Promise<void> {
  await db.query("delete from directory_group_roles where group_id = $1", [id]);
  await db.query("delete from directory_groups where id = $1", [id]);
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
  for await (const batch of inBatches(groupIds)) {
    const rows = await db.query<RoleRow>(
      `select * from directory_group_roles where group_id in (${placeholders(batch.length, 1)}) order by group_id, project_id`,
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

export interface GroupWithCount extends Group {
  members: number;
}

export async function listGroupsWithCount(
  db: Db,
  directoryId: string,
  page: { after: string; limit: number },
): Promise<GroupWithCount[]> {
  const rows = await db.query<GroupRow & { members: number }>(
    `select g.*, (select count(*) from directory_group_members m where m.group_id = g.id) as members
       from directory_groups g where g.directory_id = $1 and g.id > $2 order by g.id limit $3`,
    [directoryId, page.after, page.limit],
  );
  return rows.map((row) => ({ ...toGroup(row), members: row.members }));
}
