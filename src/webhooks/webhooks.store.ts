import type { Db, Row } from "../store/db.ts";
import { marksFrom } from "../store/expiring-tables.ts";

export type WebhookStatus = "enabled" | "disabled";

/** An address that receives events. */
export interface OutgoingWebhook {
  id: string;
  organizationId: string;
  projectId: string;
  wholeOrganization: boolean;
  url: string;
  description: string;
  events: string[];
  status: WebhookStatus;
  statusReason: string | null;
  sealed: string;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
}

const columns = `id, organization_id, project_id, whole_organization, url, description, events, status, status_reason,
  sealed, created_by, created_at, updated_at`;

const toWebhook = (row: Row): OutgoingWebhook => ({
  id: String(row.id),
  organizationId: String(row.organization_id),
  projectId: String(row.project_id),
  wholeOrganization: row.whole_organization === 1,
  url: String(row.url),
  description: String(row.description),
  events: JSON.parse(String(row.events)) as string[],
  status: row.status as WebhookStatus,
  statusReason: row.status_reason as string | null,
  sealed: String(row.sealed),
  createdBy: String(row.created_by),
  createdAt: String(row.created_at),
  updatedAt: String(row.updated_at),
});

export async function insertWebhook(db: Db, webhook: OutgoingWebhook, dataKeyId: string): Promise<void> {
  await db.query(
    `insert into webhooks (${columns}, data_key_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      webhook.id,
      webhook.organizationId,
      webhook.projectId,
      webhook.wholeOrganization ? 1 : 0,
      webhook.url,
      webhook.description,
      JSON.stringify(webhook.events),
      webhook.status,
      webhook.statusReason,
      webhook.sealed,
      webhook.createdBy,
      webhook.createdAt,
      webhook.updatedAt,
      dataKeyId,
    ],
  );
}

export async function findWebhook(db: Db, projectId: string, id: string): Promise<OutgoingWebhook | null> {
  const [row] = await db.query(`select ${columns} from webhooks where project_id = $1 and id = $2`, [projectId, id]);
  return row ? toWebhook(row) : null;
}

export async function findWebhookById(db: Db, id: string): Promise<OutgoingWebhook | null> {
  const [row] = await db.query(`select ${columns} from webhooks where id = $1`, [id]);
  return row ? toWebhook(row) : null;
}

export async function listWebhooks(
  db: Db,
  projectId: string,
  page: { after: string; limit: number },
): Promise<OutgoingWebhook[]> {
  const rows = await db.query(
    `select ${columns} from webhooks where project_id = $1 and id > $2 order by id limit $3`,
    [projectId, page.after, page.limit],
  );
  return rows.map(toWebhook);
}

/** The webhooks of a project, those of the whole organization included, which are created in a project too. */
export async function listWebhookIds(db: Db, projectId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>("select id from webhooks where project_id = $1 order by id", [projectId]);
  return rows.map((row) => row.id);
}

export async function countWebhooks(db: Db, projectId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>("select count(*) as count from webhooks where project_id = $1", [
    projectId,
  ]);
  return Number(row?.count ?? 0);
}

/** Those of the whole organization, in whichever project they were created. */
export async function countOrganizationWebhooks(db: Db, organizationId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    "select count(*) as count from webhooks where organization_id = $1 and whole_organization = 1",
    [organizationId],
  );
  return Number(row?.count ?? 0);
}

/** The enabled webhooks of the project, and those of the whole organization. */
export async function listEnabledWebhooks(
  db: Db,
  organizationId: string | null,
  projectId: string | null,
): Promise<{ id: string; events: string[] }[]> {
  const rows = await db.query<{ id: string; events: string }>(
    `select id, events from webhooks where project_id = $1 and whole_organization = 0 and status = 'enabled'
     union all
     select id, events from webhooks where organization_id = $2 and whole_organization = 1 and status = 'enabled'`,
    [projectId ?? "", organizationId ?? ""],
  );
  return rows.map((row) => ({ id: row.id, events: JSON.parse(row.events) as string[] }));
}

/** So many ids fit into one statement on both databases. */
const projectsAtOnce = 200;

/** The first enabled webhooks of these projects alone that may want one of these types, each project's together. */
export async function listEnabledInProjects(
  db: Db,
  projectIds: readonly string[],
  types: readonly [string, string],
  limit: number,
): Promise<{ id: string; projectId: string; events: string[] }[]> {
  const found: { id: string; projectId: string; events: string[] }[] = [];
  for (let from = 0; from < projectIds.length && found.length < limit; from += projectsAtOnce) {
    const part = projectIds.slice(from, from + projectsAtOnce);
    const rows = await db.query<{ id: string; project_id: string; events: string }>(
      `select id, project_id, events from webhooks
        where project_id in (${marksFrom(4, part)}) and whole_organization = 0 and status = 'enabled'
              and (events like $1 or events like $2)
        order by project_id, id limit $3`,
      [...types.map((type) => `%"${type}"%`), limit - found.length, ...part],
    );
    for (const row of rows)
      found.push({ id: row.id, projectId: row.project_id, events: JSON.parse(row.events) as string[] });
  }
  return found;
}

export async function updateWebhook(db: Db, webhook: OutgoingWebhook): Promise<void> {
  await db.query(
    `update webhooks set url = $2, description = $3, events = $4, status = $5, status_reason = $6, updated_at = $7
      where id = $1`,
    [
      webhook.id,
      webhook.url,
      webhook.description,
      JSON.stringify(webhook.events),
      webhook.status,
      webhook.statusReason,
      webhook.updatedAt,
    ],
  );
}

/** Returns false if it was deleted, or disabled before. */
export async function disableWebhook(db: Db, id: string, reason: string, now: string): Promise<boolean> {
  const rows = await db.query(
    `update webhooks set status = 'disabled', status_reason = $2, updated_at = $3
      where id = $1 and status = 'enabled' returning id`,
    [id, reason, now],
  );
  return rows.length > 0;
}

export async function replaceSecrets(db: Db, id: string, sealed: string, dataKeyId: string, now: string) {
  await db.query("update webhooks set sealed = $2, data_key_id = $3, updated_at = $4 where id = $1", [
    id,
    sealed,
    dataKeyId,
    now,
  ]);
}

export async function deleteWebhookRow(db: Db, id: string): Promise<void> {
  await db.query("delete from webhooks where id = $1", [id]);
}
