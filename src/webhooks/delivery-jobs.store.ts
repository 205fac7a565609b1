import type { Db, Row } from "../store/db.ts";
import type { WebhookStatus } from "./webhooks.store.ts";

export type JobKind = "delete" | "fail" | "replay";

/** What remains to be done to the deliveries of one webhook. */
export interface DeliveryJob {
  organizationId: string;
  webhookId: string;
  kind: JobKind;
  /** Of a replay: since when the deliveries were announced, and the last one that it has looked at. */
  since: string;
  doneTo: string;
  /** Why deliveries fail. */
  problem: string | null;
}

const toJob = (row: Row): DeliveryJob => ({
  organizationId: String(row.organization_id),
  webhookId: String(row.webhook_id),
  kind: row.kind as JobKind,
  since: String(row.since),
  doneTo: String(row.done_to),
  problem: row.problem as string | null,
});

/** A job of the same kind starts anew. */
export async function saveJob(db: Db, job: DeliveryJob): Promise<void> {
  await db.query(
    `insert into delivery_jobs (organization_id, webhook_id, kind, since, done_to, problem)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (organization_id, webhook_id, kind) do update
        set since = case when excluded.since < delivery_jobs.since then excluded.since else delivery_jobs.since end,
            done_to = case when excluded.done_to < delivery_jobs.done_to then excluded.done_to else delivery_jobs.done_to end,
            problem = excluded.problem`,
    [job.organizationId, job.webhookId, job.kind, job.since, job.doneTo, job.problem],
  );
}

/** The first job of the next organization. */
export async function findNextJob(db: Db, afterOrganization: string): Promise<DeliveryJob | null> {
  const [row] = await db.query(
    "select * from delivery_jobs where organization_id > $1 order by organization_id, webhook_id, kind limit 1",
    [afterOrganization],
  );
  return row ? toJob(row) : null;
}

/** The job as it is now, or null if it was ended meanwhile. */
export async function lockJob(db: Db, job: DeliveryJob): Promise<DeliveryJob | null> {
  const [row] = await db.query(
    `select * from delivery_jobs where organization_id = $1 and webhook_id = $2 and kind = $3 ${db.lockRow}`,
    [job.organizationId, job.webhookId, job.kind],
  );
  return row ? toJob(row) : null;
}

export async function advanceJob(db: Db, job: DeliveryJob, doneTo: string): Promise<void> {
  await db.query("update delivery_jobs set done_to = $4 where organization_id = $1 and webhook_id = $2 and kind = $3", [
    job.organizationId,
    job.webhookId,
    job.kind,
    doneTo,
  ]);
}

export async function deleteJob(db: Db, job: DeliveryJob): Promise<void> {
  await db.query("delete from delivery_jobs where organization_id = $1 and webhook_id = $2 and kind = $3", [
    job.organizationId,
    job.webhookId,
    job.kind,
  ]);
}

/** The state of the webhook, or null if it was deleted. Nobody enables or disables it until this transaction ends. */
export async function lockStatus(db: Db, webhookId: string): Promise<WebhookStatus | null> {
  const [row] = await db.query<{ status: WebhookStatus }>(`select status from webhooks where id = $1 ${db.lockRow}`, [
    webhookId,
  ]);
  return row?.status ?? null;
}
