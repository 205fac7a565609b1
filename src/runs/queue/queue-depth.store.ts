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

interface Due {
  count: number;
  oldest: string | null;
}

/** Each count reads a partial index and stops at `countedMax`. */
export async function readQueueDepth(store: Store, now: string): Promise<QueueDepth> {
  const [entries, again, running, waiting, unknown] = await Promise.all([
    store.querySlow<Due>(
      `select count(*) as count, min(due_at) as oldest
         from (select due_at from run_queue where due_at <= $1 order by due_at limit ${countedMax}) as due`,
      [now],
    ),
    store.querySlow<Due>(
      `select count(*) as count, min(run_at) as oldest
         from (select status, run_at from runs where run_at is not null and fence > 0 and run_at <= $1
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
  const due = [entries[0], again[0]];
  const oldest = due.flatMap((each) => each?.oldest ?? []).sort();
  return {
    queued: due.reduce((sum, each) => sum + Number(each?.count ?? 0), 0),
    oldestQueuedAt: oldest[0] ?? null,
    running: Number(running[0]?.count ?? 0),
    waiting: Number(waiting[0]?.count ?? 0),
    outcome_unknown: Number(unknown[0]?.count ?? 0),
  };
}
