import type { Db, Store } from "../../store/db.ts";

export interface QueuedMail {
  id: string;
  recipient: string;
  kind: string;
  /** The sealed content, in the column `details`. */
  sealed: string;
  attempts: number;
}

export async function insertMail(db: Db, mail: QueuedMail, at: string): Promise<void> {
  await db.query(
    `insert into mails (id, recipient, kind, details, attempts, send_at, created_at)
     values ($1, $2, $3, $4, 0, $5, $5)`,
    [mail.id, mail.recipient, mail.kind, mail.sealed, at],
  );
}

/** Claims due mails and hides them from other senders until `until`. */
export async function claimMails(db: Db, now: string, until: string, limit: number): Promise<QueuedMail[]> {
  return db.query<QueuedMail>(
    `update mails set send_at = $2, attempts = attempts + 1
      where id in (with due as materialized
                      (select id from mails where send_at <= $1 order by send_at limit $3 ${db.skipLocked})
                    select id from due)
     returning id, recipient, kind, details as sealed, attempts`,
    [now, until, limit],
  );
}

export const listMails = (db: Db, after: string, limit: number): Promise<QueuedMail[]> =>
  db.query<QueuedMail>(
    `select id, recipient, kind, details as sealed, attempts from mails where id > $1 order by id limit $2 ${db.lockRow}`,
    [after, limit],
  );

export async function replaceSealed(db: Db, id: string, sealed: string): Promise<void> {
  await db.query("update mails set details = $2 where id = $1", [id, sealed]);
}

export async function deleteMails(db: Db, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const placeholders = ids.map((_, index) => `$${index + 1}`).join(", ");
  await db.query(`delete from mails where id in (${placeholders})`, ids);
}

export async function postponeMail(db: Db, id: string, until: string): Promise<void> {
  await db.query("update mails set send_at = $2 where id = $1", [id, until]);
}

export async function hasDueMail(db: Db, now: string): Promise<boolean> {
  return (await db.query("select 1 from mails where send_at <= $1 limit 1", [now])).length > 0;
}

/** Enough to see that a queue grows. */
const countedMax = 10_000;

export async function countWaitingMails(store: Store): Promise<number> {
  const [row] = await store.querySlow<{ count: number }>(
    `select count(*) as count from (select 1 from mails order by send_at limit ${countedMax}) as waiting`,
  );
  return Number(row?.count ?? 0);
}
