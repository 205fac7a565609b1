import { nextTurn } from "../kernel/work-in-slices.ts";
import type { Db } from "../store/db.ts";
import { actionsToText, type Permissions, permissionsFromText } from "./permissions.ts";

export interface Membership {
  projectId: string;
  userId: string;
  permissions: Permissions;
  createdAt: string;
}

/** A member as the project's list shows them. */
export interface Member extends Membership {
  email: string;
  active: boolean;
  /** The membership comes from a group of the organization's directory. */
  managed: boolean;
}

interface MemberRow {
  project_id: string;
  user_id: string;
  actions: string;
  created_at: string;
  email: string;
  active: number;
  managed: number;
}

const toMember = (row: MemberRow): Member => ({
  projectId: row.project_id,
  userId: row.user_id,
  permissions: permissionsFromText(row.actions),
  createdAt: row.created_at,
  email: row.email,
  active: row.active === 1,
  managed: row.managed === 1,
});

/** An existing member keeps their permissions. */
export async function insertMembership(db: Db, membership: Membership): Promise<void> {
  await db.query(
    `insert into memberships (project_id, user_id, actions, role, created_at) values ($1, $2, $3, $4, $5)
     on conflict (project_id, user_id) do nothing`,
    [
      membership.projectId,
      membership.userId,
      actionsToText(membership.permissions),
      membership.permissions.role,
      membership.createdAt,
    ],
  );
}

export async function findMember(db: Db, projectId: string, userId: string): Promise<Member | null> {
  const [row] = await db.query<MemberRow>(
    `select m.*, u.email, u.active from memberships m join users u on u.id = m.user_id
      where m.project_id = $1 and m.user_id = $2`,
    [projectId, userId],
  );
  return row ? toMember(row) : null;
}

export async function listMembers(
  db: Db,
  projectId: string,
  page: { after: string; limit: number },
): Promise<Member[]> {
  const rows = await db.query<MemberRow>(
    `select m.*, u.email, u.active from memberships m join users u on u.id = m.user_id
      where m.project_id = $1 and m.user_id > $2 order by m.user_id limit $3`,
    [projectId, page.after, page.limit],
  );
  return rows.map(toMember);
}

export async function updateMembership(
  db: Db,
  projectId: string,
  userId: string,
  permissions: Permissions,
): Promise<void> {
  await db.query("update memberships set actions = $3, role = $4 where project_id = $1 and user_id = $2", [
    projectId,
    userId,
    actionsToText(permissions),
    permissions.role,
  ]);
}

export async function deleteMembership(db: Db, projectId: string, userId: string): Promise<void> {
  await db.query("delete from memberships where project_id = $1 and user_id = $2", [projectId, userId]);
}

/** Whether the project has an active admin besides this person. */
export async function hasOtherActiveAdmin(db: Db, projectId: string, userId: string): Promise<boolean> {
  const rows = await db.query(
    `select 1 from memberships m join users u on u.id = m.user_id
      where m.project_id = $1 and m.user_id <> $2 and m.role = 'admin' and u.active = 1 limit 1`,
    [projectId, userId],
  );
  return rows.length > 0;
}

/** A person can be in very many projects. So many are looked at in one turn of the event loop. */
const projectsAtOnce = 100;

/** The projects in which this person is the only active admin. */
export async function projectsLeftWithoutAdmin(db: Db, userId: string): Promise<string[]> {
  const left: string[] = [];
  for (let after = ""; ; await nextTurn()) {
    const rows = await db.query<{ project_id: string; others: number }>(
      `select mine.project_id,
              case when mine.role = 'admin' and not exists
                (select 1 from memberships m join users u on u.id = m.user_id
                  where m.project_id = mine.project_id and m.user_id <> $1 and m.role = 'admin' and u.active = 1)
              then 0 else 1 end as others
         from memberships mine where mine.user_id = $1 and mine.project_id > $2 order by mine.project_id limit $3`,
      [userId, after, projectsAtOnce],
    );
    for (const { project_id: projectId, others } of rows) if (Number(others) === 0) left.push(projectId);
    if (rows.length < projectsAtOnce) return left;
    after = rows.at(-1)?.project_id ?? "";
  }
}
