import type { Db, Store } from "../store/db.ts";
import {
  type DueRow,
  type DueSchedule,
  dueColumns,
  problemText,
  type Schedule,
  type ScheduleProblem,
  toDue,
} from "./schedules.store.ts";

/** What starting its runs changes. */
export async function updateLastStart(db: Db, schedule: DueSchedule): Promise<void> {
  const { id, nextAt, lastAt, lastRunId, lastProblem } = schedule;
  await db.query("update schedules set next_at = $2, last_at = $3, last_run_id = $4, last_problem = $5 where id = $1", [
    id,
    nextAt,
    lastAt,
    lastRunId,
    problemText(lastProblem),
  ]);
}

/** Changes nothing if it says so already, or if another node has started it meanwhile. */
export async function updateProblemWhileDue(
  db: Db,
  { id, now, problem }: { id: string; now: string; problem: ScheduleProblem },
): Promise<void> {
  await db.query(
    `update schedules set last_problem = $3
      where id = $1 and next_at <= $2 and (last_problem is null or last_problem <> $3)`,
    [id, now, JSON.stringify(problem)],
  );
}

/** The longest due first. */
export async function listDueSchedules(db: Db, now: string, limit: number): Promise<DueSchedule[]> {
  const rows = await db.query<DueRow>(
    `select ${dueColumns} from schedules where next_at is not null and next_at <= $1 order by next_at, id limit $2`,
    [now, limit],
  );
  return rows.map(toDue);
}

/** The same, without reading the schedules themselves: one that cannot be read hides no other. */
export async function listDueIds(db: Db, now: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    "select id from schedules where next_at is not null and next_at <= $1 order by next_at, id limit $2",
    [now, limit],
  );
  return rows.map(({ id }) => id);
}

/**
 * The ids of due schedules. Takes turns by organization, so that one with many schedules does not delay the others. That sorts
 * everything that is due, so nobody waits for it, and the caller asks for many at a time.
 */
export async function listDueIdsInTurn(store: Store, now: string, limit: number): Promise<string[]> {
  const rows = await store.querySlow<{ id: string }>(
    `select id from (
       select id, next_at, row_number() over (partition by organization_id order by next_at, id) as turn
         from schedules where next_at is not null and next_at <= $1) due
      order by turn, next_at, id limit $2`,
    [now, limit],
  );
  return rows.map(({ id }) => id);
}

/** The schedules that are still due, without those that another node is starting at this moment. */
export async function claimDueSchedules(db: Db, now: string, ids: readonly string[]): Promise<DueSchedule[]> {
  const rows = await db.query<DueRow>(
    `select ${dueColumns} from schedules
      where next_at is not null and next_at <= $1 and id in (${ids.map((_, index) => `$${index + 2}`).join(", ")})
      order by next_at, id ${db.skipLocked}`,
    [now, ...ids],
  );
  return rows.map(toDue);
}

export type UpcomingSchedule = Pick<Schedule, "id" | "cron" | "timeZone" | "nextAt">;

/** Those whose next time is still ahead, by id. */
export async function listUpcomingSchedules(
  db: Db,
  now: string,
  page: { after: string; limit: number },
): Promise<UpcomingSchedule[]> {
  const rows = await db.query<Pick<DueRow, "id" | "cron" | "time_zone" | "next_at">>(
    "select id, cron, time_zone, next_at from schedules where next_at > $1 and id > $2 order by id limit $3",
    [now, page.after, page.limit],
  );
  return rows.map(({ id, cron, time_zone, next_at }) => ({ id, cron, timeZone: time_zone, nextAt: next_at }));
}

/** Returns whether the next time was still the given one. */
export async function moveNextTime(
  db: Db,
  { id, from, to }: { id: string; from: string; to: string },
): Promise<boolean> {
  const rows = await db.query("update schedules set next_at = $3 where id = $1 and next_at = $2 returning id", [
    id,
    from,
    to,
  ]);
  return rows.length > 0;
}
