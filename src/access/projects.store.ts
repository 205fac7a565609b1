import type { Db, Value } from "../store/db.ts";

export interface Project {
  id: string;
  organizationId: string;
  name: string;
  description: string;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
}

interface ProjectRow {
  id: string;
  organization_id: string;
  name: string;
  description: string;
  created_by: string;
  created_at: string;
  updated_at: string;
}

const toProject = (row: ProjectRow): Project => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  description: row.description,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export async function insertProject(db: Db, project: Project): Promise<void> {
  await db.query(
    `insert into projects (id, organization_id, name, description, created_by, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      project.id,
      project.organizationId,
      project.name,
      project.description,
      project.createdBy,
      project.createdAt,
      project.updatedAt,
    ],
  );
}

export async function findProject(db: Db, id: string): Promise<Project | null> {
  const [row] = await db.query<ProjectRow>("select * from projects where id = $1", [id]);
  return row ? toProject(row) : null;
}

export async function updateProjectRow(db: Db, project: Project): Promise<void> {
  await db.query("update projects set name = $2, description = $3, updated_at = $4 where id = $1", [
    project.id,
    project.name,
    project.description,
    project.updatedAt,
  ]);
}

/** Projects of the person, with their role, in the order of creation. */
export async function listProjectsOfMember(
  db: Db,
  userId: string,
  page: { after: string; limit: number },
): Promise<(Project & { role: string })[]> {
  return listWithRole(
    db,
    `select p.*, m.role from memberships m join projects p on p.id = m.project_id
      where m.user_id = $1 and m.project_id > $2 order by m.project_id limit $3`,
    [userId, page.after, page.limit],
  );
}

export async function listProjectIdsOfMember(db: Db, userId: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ project_id: string }>(
    "select project_id from memberships where user_id = $1 order by project_id limit $2",
    [userId, limit],
  );
  return rows.map((row) => row.project_id);
}

/** The projects of an organization, in the order of their ids, behind `after`. */
export async function listProjectIds(db: Db, organizationId: string, after: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    "select id from projects where organization_id = $1 and id > $2 order by id limit $3",
    [organizationId, after, limit],
  );
  return rows.map((row) => row.id);
}

/** All projects of the organization, with the person's own role if there is one. */
export async function listProjectsOfOrganization(
  db: Db,
  organizationId: string,
  userId: string,
  page: { after: string; limit: number },
): Promise<(Project & { role: string | null })[]> {
  return listWithRole(
    db,
    `select p.*, m.role from projects p left join memberships m on m.project_id = p.id and m.user_id = $4
      where p.organization_id = $1 and p.id > $2 order by p.id limit $3`,
    [organizationId, page.after, page.limit, userId],
  );
}

/** One project of the organization, with this person's role. */
export async function findProjectWithRole(
  db: Db,
  organizationId: string,
  userId: string,
  id: string,
): Promise<(Project & { role: string | null }) | null> {
  const [project] = await listWithRole<string | null>(
    db,
    `select p.*, m.role from projects p left join memberships m on m.project_id = p.id and m.user_id = $3
      where p.id = $1 and p.organization_id = $2`,
    [id, organizationId, userId],
  );
  return project ?? null;
}

async function listWithRole<R extends string | null>(
  db: Db,
  sql: string,
  values: Value[],
): Promise<(Project & { role: R })[]> {
  const rows = await db.query<ProjectRow & { role: R }>(sql, values);
  return rows.map((row) => ({ ...toProject(row), role: row.role }));
}
