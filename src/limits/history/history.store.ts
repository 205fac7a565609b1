import type { Db } from "../../store/db.ts";
import { deleteBefore } from "../../store/delete-in-batches.ts";
import type { Sample } from "./history.ts";

interface SampleRow {
  subject: string;
  name: string;
  at: string;
  peak: number;
  used: number;
  max: number | null;
  resets_at: string | null;
}

/** Several nodes may measure the same interval: the largest measure is its peak, the last one stays. */
export async function saveSamples(db: Db, samples: readonly Sample[]): Promise<void> {
  for (const { subject, name, at, peak, used, max, resetsAt } of samples) {
    await db.query(
      `insert into limit_history (subject, name, at, peak, used, max, resets_at) values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (subject, name, at) do update set
         peak = case when excluded.peak > limit_history.peak then excluded.peak else limit_history.peak end,
         used = excluded.used, max = excluded.max, resets_at = excluded.resets_at`,
      [subject, name, at, peak, used, max, resetsAt],
    );
  }
}

export const deleteSamplesBefore = (db: Db, at: string): Promise<void> =>
  deleteBefore(db, { table: "limit_history", key: "subject, name, at", time: "at" }, at);

/** Oldest first. */
export async function listSamples(db: Db, subject: string): Promise<Sample[]> {
  const rows = await db.query<SampleRow>("select * from limit_history where subject = $1 order by name, at", [subject]);
  return rows.map(({ resets_at: resetsAt, ...row }) => ({ ...row, resetsAt }));
}
