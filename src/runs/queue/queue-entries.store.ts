import type { Db } from "../../store/db.ts";
import type { PlannedRow, PlannedRun } from "../record/run-record.ts";
import { type ClaimTimes, notOf, plannedColumns } from "./claim-parts.ts";

/** A run that no worker has begun has an entry in the queue, a short row. It is deleted when the run begins, ends or is cancelled. */
export async function insertEntry(db: Db, { id, organizationId, runAt }: PlannedRun): Promise<void> {
  await db.query("insert into run_queue (run_id, organization_id, due_at) values ($1, $2, $3)", [
    id,
    organizationId,
    runAt,
  ]);
}

export async function deleteEntry(db: Db, runId: string): Promise<void> {
  await db.query("delete from run_queue where run_id = $1", [runId]);
}

/** An entry whose worker has died is free again, once its lease has ended. Few entries are claimed at a time. */
const isFree = (now: string): string => `(lease_until is null or lease_until < ${now})`;

/**
 * Claims entries that are due since `dueFrom`, oldest first, and returns their runs, which this does not change. The claim of an
 * entry only lets a worker try: the first one that begins the run holds it.
 */
export async function claimEntries(
  db: Db,
  worker: string,
  times: ClaimTimes,
  limit: number,
  except: readonly string[] = [],
): Promise<PlannedRow[]> {
  for (let round = 0; round < roundsMax; round++) {
    const { count, rows } = await claimSome(db, worker, times, limit, except);
    if (count === 0 || rows.length > 0) return rows;
  }
  return [];
}

/** A node of the previous version may have left very many entries of runs that it has claimed. */
const roundsMax = 50;

async function claimSome(
  db: Db,
  worker: string,
  times: ClaimTimes,
  limit: number,
  except: readonly string[],
): Promise<{ count: number; rows: PlannedRow[] }> {
  const claimed = await db.query<{ run_id: string; claims: number }>(
    `update run_queue set worker = $1, lease_until = $3, claims = claims + 1
      where run_id in (with due as materialized
                          (select run_id from run_queue where due_at >= $5 and due_at <= $2 and ${isFree("$2")}${notOf(except, 6)}
                            order by due_at, run_id limit $4 ${db.skipLocked})
                        select run_id from due)
     returning run_id, claims`,
    [worker, times.now, times.leaseUntil, limit, times.dueFrom, ...except],
  );
  if (claimed.length === 0) return { count: 0, rows: [] };
  const claims = new Map(claimed.map((entry) => [entry.run_id, entry.claims]));
  const marks = claimed.map((_, index) => `$${index + 1}`).join(", ");
  const rows = await db.query<PlannedRow>(
    `select ${plannedColumns} from runs where id in (${marks}) and status = 'queued' and fence = 0 order by run_at, id`,
    [...claims.keys()],
  );
  // A claim of the entry counts like one of the run.
  const found = rows.map((row) => ({ ...row, progress_fence: -(claims.get(row.id) ?? 0) }));
  for (const { id } of found) claims.delete(id);
  // A node of the previous version knows no entries, and has claimed or cancelled these runs.
  for (const id of claims.keys()) await deleteEntry(db, id);
  return { count: claimed.length, rows: found };
}

/** When the first free entry after `from` is due; null if there is none. */
export async function nextEntryAt(
  db: Db,
  { from, now }: { from: string; now: string },
  except: readonly string[] = [],
): Promise<string | null> {
  const [row] = await db.query<{ due_at: string }>(
    `select due_at from run_queue where due_at >= $1 and ${isFree("$2")}${notOf(except, 3)} order by due_at limit 1`,
    [from, now, ...except],
  );
  return row?.due_at ?? null;
}

/** Another worker may claim the entry at once. */
export async function freeEntry(db: Db, runId: string): Promise<void> {
  await db.query("update run_queue set worker = null, lease_until = null where run_id = $1", [runId]);
}

/** For a process that is alone with the store: no other one works on an entry, or queues runs without one. */
export async function freeEntries(db: Db): Promise<void> {
  await db.query("update run_queue set worker = null, lease_until = null where lease_until is not null");
  while ((await insertMissingEntries(db, missingMax)) === missingMax);
}

const missingMax = 500;

/** Makes entries for runs that a program of the previous version has queued. Returns how many. */
export async function insertMissingEntries(db: Db, limit: number): Promise<number> {
  const rows = await db.query(
    `insert into run_queue (run_id, organization_id, due_at)
     select id, organization_id, run_at from runs
      where run_at is not null and fence = 0 and status = 'queued'
            and not exists (select 1 from run_queue where run_id = runs.id)
      order by run_at limit $1
     on conflict (run_id) do nothing returning run_id`,
    [limit],
  );
  return rows.length;
}
