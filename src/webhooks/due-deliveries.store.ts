import { moveTimesBack, type TimeBounds } from "../store/clock/move-times-back.ts";
import { type Db, dynamicText } from "../store/db.ts";
import { columns, type Delivery, toDelivery } from "./deliveries.store.ts";
import type { Owner } from "./dispatcher-capacity.ts";

/** Owns deliveries whose webhook is gone. */
const nobody = "none";

export interface DueDelivery extends Owner {
  id: string;
}

/** An organization or a webhook, and when the first of its deliveries is due. */
export interface Waiting {
  id: string;
  sendAt: string;
}

/** The oldest due deliveries of all. Those that the previous version has stored name no organization. */
export async function findOldestDue(db: Db, now: string, limit: number): Promise<DueDelivery[]> {
  return db.query<{ id: string; organizationId: string; webhookId: string }>(
    `select d.id, d.webhook_id as "webhookId", coalesce(d.organization_id, w.organization_id, '${nobody}') as "organizationId"
       from (select id, webhook_id, organization_id, send_at from deliveries
              where send_at <= $1 order by send_at limit $2) as d
            left join webhooks w on d.organization_id is null and w.id = d.webhook_id
      order by d.send_at`,
    [now, limit],
  );
}

/**
 * The next organizations in the order of their ids. It reads two entries of an index for each, however much they have to send. With `=` in
 * place of `>=`, PostgreSQL may search the whole queue in the order of time for the first delivery of one of them.
 */
export async function findWaitingOrganizations(db: Db, after: string, limit: number): Promise<Waiting[]> {
  return db.query<{ id: string; sendAt: string }>(
    `with recursive waiting(id, number) as (
       select (select organization_id from deliveries where send_at is not null and organization_id > $1
                order by organization_id limit 1), 1
       union all
       select (select d.organization_id from deliveries d where d.send_at is not null and d.organization_id > waiting.id
                order by d.organization_id limit 1), waiting.number + 1
         from waiting where waiting.id is not null and waiting.number < $2)
     select id, (select d.send_at from deliveries d where d.send_at is not null and d.organization_id >= waiting.id
                  order by d.organization_id, d.send_at limit 1) as "sendAt"
       from waiting where id is not null order by id`,
    [after, limit],
  );
}

/** The same for the webhooks of an organization. */
export async function findWaitingWebhooks(
  db: Db,
  organizationId: string,
  after: string,
  limit: number,
): Promise<Waiting[]> {
  return db.query<{ id: string; sendAt: string }>(
    `with recursive waiting(id, number) as (
       select (select webhook_id from deliveries
                where send_at is not null and organization_id = $1 and webhook_id > $2 order by webhook_id limit 1), 1
       union all
       select (select d.webhook_id from deliveries d
                where d.send_at is not null and d.organization_id = $1 and d.webhook_id > waiting.id
                order by d.webhook_id limit 1), waiting.number + 1
         from waiting where waiting.id is not null and waiting.number < $3)
     select id, (select d.send_at from deliveries d
                  where d.send_at is not null and d.organization_id = $1 and d.webhook_id >= waiting.id
                  order by d.webhook_id, d.send_at limit 1) as "sendAt"
       from waiting where id is not null order by id`,
    [organizationId, after, limit],
  );
}

export async function findDueOf(
  db: Db,
  { organizationId, webhookId }: Owner,
  now: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from deliveries where organization_id = $1 and webhook_id = $2 and send_at <= $3
      order by send_at limit $4`,
    [organizationId, webhookId, now, limit],
  );
  return rows.map(({ id }) => id);
}

export async function hasUnowned(db: Db): Promise<boolean> {
  const sql = "select 1 from deliveries where send_at is not null and organization_id is null limit 1";
  return (await db.query(sql)).length > 0;
}

const ownerOfRow = `coalesce(organization_id,
  (select w.organization_id from webhooks w where w.id = deliveries.webhook_id), '${nobody}')`;

/** Fills in the organization of deliveries that the previous version has stored. */
export async function fillInOwners(db: Db, limit: number): Promise<void> {
  await db.query(
    `update deliveries set organization_id = ${ownerOfRow}
      where id in (with unowned as materialized
                      (select id from deliveries where send_at is not null and organization_id is null limit $1 ${db.skipLocked})
                    select id from unowned)`,
    [limit],
  );
}

/** Claims some of these deliveries, if they are still due, and hides them from other dispatchers until `until`. */
export async function claimDeliveries(
  db: Db,
  now: string,
  until: string,
  ids: readonly string[],
  limit: number,
): Promise<Delivery[]> {
  const marks = ids.map((_, index) => `$${index + 4}`).join(", ");
  const rows = await db.query(
    `update deliveries set send_at = $2, claim = claim + 1, tried_at = $1, organization_id = ${ownerOfRow}
      where id in (with due as materialized
                      (select id from deliveries where id in (${marks}) and send_at <= $1
                        order by id limit $3 ${db.skipLocked})
                    select id from due)
     returning ${columns} ${dynamicText}`,
    [now, until, limit, ...ids],
  );
  return rows.map(toDelivery);
}

export const moveSendTimesBack = (db: Db, bounds: TimeBounds): Promise<number> =>
  moveTimesBack(db, { table: "deliveries", key: "id", time: "send_at" }, bounds);
