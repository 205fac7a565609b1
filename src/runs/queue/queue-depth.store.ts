import type { Store } from "../../store/db.ts";

/** Enough to see that a queue grows. Beyond it, a count would read the whole queue with each look. */
export const countedMax = 10_000;

export interface QueueDepth {
  queued: number;
  running: number;
  waiting: number;
  outcome_unknown: number;
  /** Since when the oldest queued run is due. */
  oldestQueuedAt: string | null;
}

/** Each count reads a partial index and stops at `countedMax`. */
export async function readQueueDepth(store: Store, now: string): Promise<QueueDepth> {
  const [due, running, waiting, unknown] = await Promise.all([
    store.querySlow<{ count: number; oldest: string | null }>(
      `select count(*) as count, min(run_at) as oldest
         from (select status, run_at from runs where run_at is not null and run_at <= $1
                order by run_at, id limit ${countedMax}) as due where status = 'queued'`,
      [now],
    ),
    store.querySlow<{ count: number }>(
      `select count(*) as count from (select 1 from runs
        where lease_until is not null and status = 'running' limit ${countedMax}) as held`,
    ),
    store.querySlow<{ count: number }>(
      `select count(*) as count from (select 1 from runs where status = 'waiting' limit ${countedMax}) as found`,
    ),
    store.querySlow<{ count: number }>(
      `select count(*) as count from (select 1 from runs where status = 'outcome_unknown' limit ${countedMax}) as found`,
    ),
  ]);
  return {
    queued: Number(due[0]?.count ?? 0),
    oldestQueuedAt: due[0]?.oldest ?? null,
    running: Number(running[0]?.count ?? 0),
    waiting: Number(waiting[0]?.count ?? 0),
    outcome_unknown: Number(unknown[0]?.count ?? 0),
  };
}
