import type { Db } from "../../store/db.ts";
import { freeEntry } from "./queue-entries.store.ts";

/**
 * Cancels runs that this process inserted as its own and that no other worker has claimed since: they are due, and the worker
 * that claims them ends them. Returns which.
 */
export async function withdrawHeldRuns(db: Db, runIds: readonly string[], now: string): Promise<string[]> {
  const marks = runIds.map((_, index) => `$${index + 2}`).join(", ");
  const rows = await db.query<{ id: string }>(
    `update runs set status = 'queued', cancel_asked = 1, worker = null, lease_until = null, waiting_for = null, run_at = $1
      where id in (select id from runs where id in (${marks}) and fence = 1 and status in ('running', 'queued', 'waiting')
                    order by id ${db.lockRow})
     returning id`,
    [now, ...runIds],
  );
  return rows.map(({ id }) => id);
}

/** The same for runs that went to the queue. One that a worker has begun meanwhile stops at its next boundary. */
export async function withdrawQueuedRuns(db: Db, runIds: readonly string[], now: string): Promise<string[]> {
  const marks = runIds.map((_, index) => `$${index + 2}`).join(", ");
  const rows = await db.query<{ id: string; fence: number }>(
    `update runs set cancel_asked = 1, run_at = case when status = 'running' then run_at else $1 end
      where id in (select id from runs where id in (${marks}) and status in ('running', 'queued', 'waiting')
                    order by id ${db.lockRow})
     returning id, fence`,
    [now, ...runIds],
  );
  // A worker that has claimed its entry cannot begin it any more.
  for (const { id, fence } of rows) if (fence === 0) await freeEntry(db, id);
  return rows.map(({ id }) => id);
}
