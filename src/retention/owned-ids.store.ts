import type { Db } from "../store/db.ts";

export async function isProjectOf(db: Db, organizationId: string, projectId: string): Promise<boolean> {
  const rows = await db.query("select 1 from projects where organization_id = $1 and id = $2", [
    organizationId,
    projectId,
  ]);
  return rows.length > 0;
}

/** In the order of their ids, behind `after`. */
export async function listOrganizationIds(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>("select id from organizations where id > $1 order by id limit $2", [
    after,
    limit,
  ]);
  return rows.map((row) => row.id);
}

export async function listProjectIds(db: Db, organizationId: string, after: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    "select id from projects where organization_id = $1 and id > $2 order by id limit $3",
    [organizationId, after, limit],
  );
  return rows.map((row) => row.id);
}

/** The webhooks of a project, those of the whole organization included, which are created in a project too. */
export async function listWebhookIds(db: Db, projectId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>("select id from webhooks where project_id = $1 order by id", [projectId]);
  return rows.map((row) => row.id);
}
