import { moveTimesBack, moveUnsortedTimesBack, type TimeBounds } from "../../store/clock/move-times-back.ts";
import type { Db } from "../../store/db.ts";
import type { WaitingFor } from "../record/run-record.ts";

export const moveRunLeasesBack = (db: Db, bounds: TimeBounds): Promise<number> =>
  moveTimesBack(db, { table: "runs", key: "id", time: "lease_until", only: "status = 'running'" }, bounds);

export const moveEntryLeasesBack = (db: Db, bounds: TimeBounds): Promise<number> =>
  moveUnsortedTimesBack(db, { table: "run_queue", key: "run_id", time: "lease_until" }, bounds);

/** Runs that no worker has begun, with their entries. */
export async function moveQueuedBack(db: Db, bounds: TimeBounds): Promise<number> {
  await moveTimesBack(
    db,
    { table: "runs", key: "id", time: "run_at", only: "fence = 0 and status = 'queued'" },
    bounds,
  );
  return moveTimesBack(db, { table: "run_queue", key: "run_id", time: "due_at" }, bounds);
}

/** A single step with an unknown outcome: when it is checked next. */
export const moveProbesBack = (db: Db, bounds: TimeBounds): Promise<number> =>
  moveTimesBack(db, { table: "runs", key: "id", time: "lease_until", only: "status = 'outcome_unknown'" }, bounds);

export interface LateRun {
  id: string;
  runAt: string;
  status: string;
  waitsFor: WaitingFor["kind"] | null;
  /** Whether the step that it waits in began in the future. */
  beganLater: boolean;
}

interface LateRow {
  id: string;
  run_at: string;
  status: string;
  waiting_for: string | null;
  began_later: number;
}

/** Runs that a worker has left and that are due after `latest`, in that order. */
export async function listLate(
  db: Db,
  { now, latest }: { now: Date; latest: Date },
  after: Pick<LateRun, "runAt" | "id"> | null,
  limit: number,
): Promise<LateRun[]> {
  const rows = await db.query<LateRow>(
    `select id, run_at, status, waiting_for,
            case when exists (select 1 from run_steps where run_id = runs.id and finished_at is null and started_at > $2)
                 then 1 else 0 end as began_later
       from runs where run_at is not null and fence > 0 and (run_at, id) > ($1, $3) order by run_at, id limit $4`,
    [after?.runAt ?? latest.toISOString(), now.toISOString(), after?.id ?? "", limit],
  );
  return rows.map((row) => ({
    id: row.id,
    runAt: row.run_at,
    status: row.status,
    waitsFor: row.waiting_for === null ? null : (JSON.parse(row.waiting_for) as WaitingFor).kind,
    beganLater: row.began_later === 1,
  }));
}

/** Unless somebody has changed it since it was read. */
export async function makeDueNow(db: Db, { id, runAt, status }: LateRun, now: string): Promise<void> {
  await db.query("update runs set run_at = $4 where id = $1 and run_at = $2 and status = $3", [id, runAt, status, now]);
}
