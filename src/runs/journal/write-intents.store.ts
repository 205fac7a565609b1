import type { Db } from "../../store/db.ts";
import { deleteBefore } from "../../store/delete-in-batches.ts";

export async function putIntent(db: Db, subject: string, intentId: string, sentAt: string): Promise<void> {
  await db.query(
    `insert into write_intents (subject, intent_id, sent_at) values ($1, $2, $3)
     on conflict (subject, intent_id) do update set sent_at = excluded.sent_at, settled_at = null`,
    [subject, intentId, sentAt],
  );
}

export async function settleIntent(db: Db, intentId: string, at: string): Promise<void> {
  await db.query("update write_intents set settled_at = $2 where intent_id = $1", [intentId, at]);
}

export async function deleteIntent(db: Db, intentId: string): Promise<void> {
  await db.query("delete from write_intents where intent_id = $1", [intentId]);
}

/** Whether another intent is open, or was settled since then. */
export async function hasOther(db: Db, subject: string, intentId: string, since: string): Promise<boolean> {
  const rows = await db.query(
    `select 1 as one from write_intents
      where subject = $1 and intent_id <> $2 and (settled_at is null or settled_at >= $3) limit 1`,
    [subject, intentId, since],
  );
  return rows.length > 0;
}

export const deleteSettledBefore = (db: Db, moment: string): Promise<void> =>
  deleteBefore(db, { table: "write_intents", key: "subject, intent_id", time: "settled_at" }, moment);
