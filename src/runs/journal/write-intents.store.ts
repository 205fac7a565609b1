import type { Db } from "../../store/db.ts";
import { deleteBefore } from "../../store/delete-in-batches.ts";

const batchMax = 256;

/** Powers of two: lists of every length share a few texts of statements. A call that writes leads has hundreds of names. */
function* inBatches(subjects: readonly string[]): Generator<string[]> {
  for (let from = 0; from < subjects.length; ) {
    const size = 2 ** Math.floor(Math.log2(Math.min(subjects.length - from, batchMax)));
    yield subjects.slice(from, from + size);
    from += size;
  }
}

/** Each subject once. */
export async function putIntents(db: Db, subjects: readonly string[], intentId: string, sentAt: string): Promise<void> {
  for (const batch of inBatches(subjects)) {
    const rows = batch.map((_, index) => `($1, $2, $${index + 3})`).join(", ");
    await db.query(
      `insert into write_intents (intent_id, sent_at, subject) values ${rows}
       on conflict (subject, intent_id) do update set sent_at = excluded.sent_at, settled_at = null`,
      [intentId, sentAt, ...batch],
    );
  }
}

export async function settleIntent(db: Db, intentId: string, at: string): Promise<void> {
  await db.query("update write_intents set settled_at = $2 where intent_id = $1", [intentId, at]);
}

export async function deleteIntent(db: Db, intentId: string): Promise<void> {
  await db.query("delete from write_intents where intent_id = $1", [intentId]);
}

/** Each half has its range of the index: a name may have very many rows that were settled before. */
export const otherSql = (marks: string): string =>
  `select 1 as one from write_intents where subject in (${marks}) and intent_id <> $1 and settled_at is null
   union all
   select 1 as one from write_intents where subject in (${marks}) and intent_id <> $1 and settled_at >= $2 limit 1`;

/** Whether another intent is open, or was settled since then. */
export async function hasOther(db: Db, subjects: readonly string[], intentId: string, since: string): Promise<boolean> {
  for (const batch of inBatches(subjects)) {
    const marks = batch.map((_, index) => `$${index + 3}`).join(", ");
    const rows = await db.query(otherSql(marks), [intentId, since, ...batch]);
    if (rows.length > 0) return true;
  }
  return false;
}

export const deleteSettledBefore = (db: Db, moment: string): Promise<void> =>
  deleteBefore(db, { table: "write_intents", key: "subject, intent_id", time: "settled_at" }, moment);
