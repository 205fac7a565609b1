import type { Db, Row, Store } from "../store/db.ts";

export type DeliveryStatus = "pending" | "delivered" | "failed";

/** One event on its way to one webhook. */
export interface Delivery {
  id: string;
  organizationId: string;
  webhookId: string;
  /** The same for all webhooks, attempts and replays: receivers recognize a repeat by it. */
  eventId: string;
  type: string;
  body: string;
  status: DeliveryStatus;
  attempts: number;
  sendAt: string | null;
  claim: number;
  responseStatus: number | null;
  problem: string | null;
  createdAt: string;
  triedAt: string | null;
  deliveredAt: string | null;
  /** The W3C trace in which the event was announced. */
  trace: string | null;
}

export const columns = `id, webhook_id, event_id, type, body, status, attempts, send_at, claim, response_status, problem,
  created_at, tried_at, delivered_at, trace, organization_id`;

export const toDelivery = (row: Row): Delivery => ({
  id: String(row.id),
  // The previous version does not store it.
  organizationId: String(row.organization_id ?? ""),
  webhookId: String(row.webhook_id),
  eventId: String(row.event_id),
  type: String(row.type),
  body: String(row.body),
  status: row.status as DeliveryStatus,
  attempts: Number(row.attempts),
  sendAt: row.send_at as string | null,
  claim: Number(row.claim),
  responseStatus: row.response_status === null ? null : Number(row.response_status),
  problem: row.problem as string | null,
  createdAt: String(row.created_at),
  triedAt: row.tried_at as string | null,
  deliveredAt: row.delivered_at as string | null,
  trace: row.trace as string | null,
});

export async function insertDelivery(db: Db, delivery: Delivery): Promise<void> {
  await db.query(
    `insert into deliveries (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [
      delivery.id,
      delivery.webhookId,
      delivery.eventId,
      delivery.type,
      delivery.body,
      delivery.status,
      delivery.attempts,
      delivery.sendAt,
      delivery.claim,
      delivery.responseStatus,
      delivery.problem,
      delivery.createdAt,
      delivery.triedAt,
      delivery.deliveredAt,
      delivery.trace,
      delivery.organizationId,
    ],
  );
}

/** Records how an attempt ended. Returns false if another dispatcher has claimed the delivery meanwhile. */
export async function settleDelivery(db: Db, delivery: Delivery): Promise<boolean> {
  const rows = await db.query(
    `update deliveries set status = $3, send_at = $4, response_status = $5, problem = $6, delivered_at = $7, attempts = $8
      where id = $1 and claim = $2 returning id`,
    [
      delivery.id,
      delivery.claim,
      delivery.status,
      delivery.sendAt,
      delivery.responseStatus,
      delivery.problem,
      delivery.deliveredAt,
      delivery.attempts,
    ],
  );
  return rows.length > 0;
}

/** Among so many of the newest delivered ones. */
const arrivedAmong = 500;

/** Whether the webhook has accepted anything since then. */
export async function hasArrivedSince(db: Db, webhookId: string, since: string): Promise<boolean> {
  const rows = await db.query(
    `select 1 from (select delivered_at from deliveries where webhook_id = $1 and status = 'delivered'
                     order by id desc limit ${arrivedAmong}) as newest
      where delivered_at >= $2 limit 1`,
    [webhookId, since],
  );
  return rows.length > 0;
}

/** Comes after every id. */
const end = "z";

export async function listDeliveries(
  db: Db,
  webhookId: string,
  filter: { status: DeliveryStatus | null },
  page: { after: string; limit: number },
): Promise<Delivery[]> {
  const before = page.after || end;
  // Two statements, each with an index: a webhook may have very many deliveries, and few with a status.
  const rows =
    filter.status === null
      ? await db.query(
          `select ${columns} from deliveries where webhook_id = $1 and id < $2 order by id desc limit $3`,
          [webhookId, before, page.limit],
        )
      : await db.query(
          `select ${columns} from deliveries where webhook_id = $1 and status = $2 and id < $3 order by id desc limit $4`,
          [webhookId, filter.status, before, page.limit],
        );
  return rows.map(toDelivery);
}

/** How many of the newest deliveries have failed for good, and the last of them. Counts in indexes, without reading bodies. */
export async function findFailures(
  db: Db,
  webhookId: string,
  among: number,
): Promise<{ count: number; last: Delivery } | null> {
  const [oldest] = await db.query<{ id: string }>(
    "select id from deliveries where webhook_id = $1 order by id desc limit 1 offset $2",
    [webhookId, among - 1],
  );
  const [found] = await db.query<{ count: number; last: string | null }>(
    "select count(*) as count, max(id) as last from deliveries where webhook_id = $1 and status = 'failed' and id >= $2",
    [webhookId, oldest?.id ?? ""],
  );
  const [last] = found?.last ? await db.query(`select ${columns} from deliveries where id = $1`, [found.last]) : [];
  return last ? { count: Number(found?.count), last: toDelivery(last) } : null;
}

const again = "status = 'pending', attempts = 0, send_at = $2, claim = claim + 1, problem = null";

export async function requeueOne(db: Db, webhookId: string, id: string, now: string): Promise<boolean> {
  const rows = await db.query(`update deliveries set ${again} where webhook_id = $1 and id = $3 returning id`, [
    webhookId,
    now,
    id,
  ]);
  return rows.length > 0;
}

/** A part of the failed deliveries of a webhook, in the order of their ids. */
export interface FailedPart {
  /** How many it has, and how many of these were announced since the given time. */
  size: number;
  wanted: number;
  /** Where it ends. */
  last: string;
}

export async function readFailedPart(
  db: Db,
  webhookId: string,
  since: string,
  after: string,
  limit: number,
): Promise<FailedPart> {
  const [row] = await db.query<{ size: number; wanted: number | null; last: string | null }>(
    `select count(*) as size, sum(case when created_at >= $3 then 1 else 0 end) as wanted, max(id) as last
       from (select id, created_at from deliveries where webhook_id = $1 and status = 'failed' and id > $2
              order by id limit $4) as part`,
    [webhookId, after, since, limit],
  );
  return { size: Number(row?.size ?? 0), wanted: Number(row?.wanted ?? 0), last: row?.last ?? after };
}

/** Queues a part of them again. Returns how many. */
export async function requeuePart(
  db: Db,
  webhookId: string,
  now: string,
  part: { since: string; after: string; last: string },
): Promise<number> {
  const rows = await db.query(
    `update deliveries set ${again}
      where webhook_id = $1 and status = 'failed' and id > $3 and id <= $4 and created_at >= $5 returning id`,
    [webhookId, now, part.after, part.last, part.since],
  );
  return rows.length;
}

export async function failSome(db: Db, webhookId: string, problem: string, limit: number): Promise<number> {
  const rows = await db.query(
    `update deliveries set status = 'failed', send_at = null, problem = $2, claim = claim + 1
      where id in (select id from deliveries where webhook_id = $1 and status = 'pending' order by id limit $3)
     returning id`,
    [webhookId, problem, limit],
  );
  return rows.length;
}

export async function deleteSome(db: Db, webhookId: string, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from deliveries where id in (select id from deliveries where webhook_id = $1 order by id limit $2)
     returning id`,
    [webhookId, limit],
  );
  return rows.length;
}

/** Enough to see that a queue grows. */
const countedMax = 10_000;

/** How many deliveries wait for an attempt, and since when the oldest is due. */
export async function readBacklog(store: Store): Promise<{ count: number; oldestAt: string | null }> {
  const [row] = await store.querySlow<{ count: number; oldest: string | null }>(
    `select count(*) as count, min(send_at) as oldest
       from (select send_at from deliveries where send_at is not null order by send_at limit ${countedMax}) as due`,
  );
  return { count: Number(row?.count ?? 0), oldestAt: row?.oldest ?? null };
}
