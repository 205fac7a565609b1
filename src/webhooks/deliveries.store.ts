import { type Db, dynamicText, type Row, type Store } from "../store/db.ts";

export type DeliveryStatus = "pending" | "delivered" | "failed";

/** One event on its way to one webhook. */
export interface Delivery {
  id: string;
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

const columns = `id, webhook_id, event_id, type, body, status, attempts, send_at, claim, response_status, problem,
  created_at, tried_at, delivered_at, trace`;

const toDelivery = (row: Row): Delivery => ({
  id: String(row.id),
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
    `insert into deliveries (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
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
    ],
  );
}

export async function hasDueDelivery(db: Db, now: string): Promise<boolean> {
  return (await db.query("select 1 from deliveries where send_at <= $1 limit 1", [now])).length > 0;
}

/** Claims due deliveries, except those to busy webhooks, and hides them from other dispatchers until `until`. */
export async function claimDeliveries(
  db: Db,
  now: string,
  until: string,
  limit: number,
  busy: readonly string[],
): Promise<Delivery[]> {
  const marks = busy.map((_, index) => `$${index + 4}`).join(", ");
  const others = busy.length === 0 ? "" : `and webhook_id not in (${marks}) ${dynamicText}`;
  const rows = await db.query(
    `update deliveries set send_at = $2, claim = claim + 1, tried_at = $1
      where id in (with due as materialized
                      (select id from deliveries where send_at <= $1 ${others} order by send_at limit $3 ${db.skipLocked})
                    select id from due)
     returning ${columns}`,
    [now, until, limit, ...busy],
  );
  return rows.map(toDelivery);
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

/** Whether the webhook has accepted anything since then. */
export async function hasArrivedSince(db: Db, webhookId: string, since: string): Promise<boolean> {
  const rows = await db.query("select 1 from deliveries where webhook_id = $1 and delivered_at >= $2 limit 1", [
    webhookId,
    since,
  ]);
  return rows.length > 0;
}

export async function failPending(db: Db, webhookId: string, problem: string): Promise<void> {
  await db.query(
    `update deliveries set status = 'failed', send_at = null, problem = $2, claim = claim + 1
      where webhook_id = $1 and status = 'pending'`,
    [webhookId, problem],
  );
}

export async function listDeliveries(
  db: Db,
  webhookId: string,
  filter: { status: DeliveryStatus | null },
  page: { after: string; limit: number },
): Promise<Delivery[]> {
  const rows = await db.query(
    `select ${columns} from deliveries
      where webhook_id = $1 and ($2 = '' or id < $2) and ($3 = '' or status = $3) order by id desc limit $4`,
    [webhookId, page.after, filter.status ?? "", page.limit],
  );
  return rows.map(toDelivery);
}

/** How many of the newest deliveries have failed for good, and the last of them. */
export async function findFailures(
  db: Db,
  webhookId: string,
  among: number,
): Promise<{ count: number; last: Delivery } | null> {
  const rows = await db.query<{ id: string }>(
    `select id from (select id, status from deliveries where webhook_id = $1 order by id desc limit $2) as newest
      where status = 'failed' order by id desc`,
    [webhookId, among],
  );
  const [last] = rows[0] ? await db.query(`select ${columns} from deliveries where id = $1`, [rows[0].id]) : [];
  return last ? { count: rows.length, last: toDelivery(last) } : null;
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

export async function requeueFailed(db: Db, webhookId: string, since: string, now: string): Promise<number> {
  const rows = await db.query(
    `update deliveries set ${again} where webhook_id = $1 and status = 'failed' and created_at >= $3 returning id`,
    [webhookId, now, since],
  );
  return rows.length;
}

export async function deleteDeliveriesOf(db: Db, webhookId: string): Promise<void> {
  await db.query("delete from deliveries where webhook_id = $1", [webhookId]);
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
