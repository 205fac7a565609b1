import type { Db, Row, Store } from "../store/db.ts";
import { type ExpiredRow, type ExpiryPage, marksFrom } from "../store/expiring-tables.ts";

interface SettledRow {
  id: string;
  created_at: string;
  status: string;
  claim: number;
  bytes: number;
}

const columns = "id, created_at, status, claim, octet_length(body) as bytes";

const toExpired = (row: SettledRow): ExpiredRow => ({
  id: row.id,
  createdAt: row.created_at,
  mark: `${row.status} ${row.claim}`,
  bytes: Number(row.bytes),
});

export async function findSettled(db: Db, webhookId: string, page: ExpiryPage): Promise<ExpiredRow[]> {
  const rows = await db.query<SettledRow>(
    `select ${columns} from deliveries
      where webhook_id = $1 and id > $2 and id < $3 and created_at < $4 and send_at is null order by id limit $5`,
    [webhookId, page.above, page.below, page.before, page.limit],
  );
  return rows.map(toExpired);
}

export async function lockSettled(
  db: Db,
  webhookId: string,
  ids: readonly string[],
  before: string,
): Promise<ExpiredRow[]> {
  const rows = await db.query<SettledRow>(
    `select ${columns} from deliveries
      where webhook_id = $1 and created_at < $2 and send_at is null and id in (${marksFrom(3, ids)}) ${db.lockRow}`,
    [webhookId, before, ...ids],
  );
  return rows.map(toExpired);
}

export async function deleteDeliveries(db: Db, ids: readonly string[]): Promise<void> {
  await db.query(`delete from deliveries where id in (${marksFrom(1, ids)})`, ids);
}

export async function readDeliveryRow(db: Db, id: string): Promise<Row | null> {
  const [row] = await db.query("select * from deliveries where id = $1", [id]);
  return row ?? null;
}

/** Among the oldest deliveries, those whose webhook was deleted while they were queued. */
export async function findOrphans(store: Store, before: string, among: number): Promise<string[]> {
  const rows = await store.querySlow<{ id: string }>(
    `select id from (select id, webhook_id from deliveries where created_at < $1 and send_at is null
                      order by created_at limit $2) as oldest
      where not exists (select 1 from webhooks w where w.id = oldest.webhook_id)`,
    [before, among],
  );
  return rows.map((row) => row.id);
}
