import type { Db, Store, Value } from "../../store/db.ts";
import type { StepProblem } from "../../systems/step-problems.ts";
import { columnOf, isLarge, outputColumns, saveLarge, textOf, wholeRun } from "../record/large-outputs.ts";
import {
  newRowColumns,
  newRowMarks,
  newRowValues,
  type PlannedRow,
  type PlannedRun,
  planText,
  readPlannedRun,
  sourceText,
  type WaitingFor,
} from "../record/run-record.ts";
import type { RunStatus } from "../record/run-status.ts";
import { type ClaimTimes, notOf, plannedColumns } from "./claim-parts.ts";
import { insertEntry } from "./queue-entries.store.ts";

/** The right to write to a run. The next claim raises the fence and makes this one void. */
export interface Claim {
  runId: string;
  worker: string;
  fence: number;
}

// A constant, so that its text is hashed once and not with every call.
const insertText = `insert into runs (${newRowColumns}, waiting_for, tool_id, tool_version, definition, source, run_at,
       progress_fence, agent_id, conversation_id)
     values (${newRowMarks}, $20, $21, $22,
             nullif($23, (select definition from tool_versions where tool_id = $21 and version = $22)), $24, $25, $26, $27,
             $28)`;

/**
 * A run that is due, that its worker holds from the start, or that has left its worker before it was stored. Single steps have
 * their own statement: `insertStepRun`.
 */
export async function insertPlannedRun(db: Db, run: PlannedRun): Promise<void> {
  const { work } = run;
  const tool = work.kind === "tool" ? work : null;
  const agent = work.kind === "agent" ? work : null;
  const output = run.output === null || run.output === undefined ? null : textOf(run.output);
  await db.query(insertText, [
    ...newRowValues(run, await columnOf(db, run.params), outputColumns(output)),
    textOrNull(run.waitingFor),
    tool?.id ?? null,
    tool?.version ?? null,
    planText(work),
    sourceText(run),
    run.runAt,
    run.fence - run.claimsWithoutProgress,
    agent?.id ?? null,
    agent?.conversationId ?? null,
  ]);
  if (isLarge(output)) await saveLarge(db, run.id, wholeRun, output);
  if (run.status === "queued" && run.fence === 0) await insertEntry(db, run);
}

const textOrNull = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

/**
 * Claims runs that were claimed before and are due since `dueFrom`, oldest first. The subquery is materialized: PostgreSQL may otherwise
 * evaluate it again for each row that it compares, and exceed the limit. One statement, so of two workers at once, each
 * run goes to one. Expired leases are released elsewhere, or every claim would scan all running runs.
 */
export async function claimDueRuns(
  db: Db,
  worker: string,
  times: ClaimTimes,
  limit: number,
  except: readonly string[] = [],
): Promise<PlannedRow[]> {
  return await db.query<PlannedRow>(
    `update runs set status = 'running', worker = $1, fence = fence + 1, lease_until = $3, run_at = null,
            waiting_for = null
      where id in (with due as materialized
                      (select id from runs where run_at is not null and fence > 0 and run_at >= $5 and run_at <= $2${notOf(except, 6)}
                        order by run_at, id limit $4 ${db.skipLocked})
                    select id from due)
     returning ${plannedColumns}`,
    [worker, times.now, times.leaseUntil, limit, times.dueFrom, ...except],
  );
}

/** Cancelled runs that a worker holds. */
export async function listCancelled(db: Db): Promise<string[]> {
  const rows = await db.query<{ id: string }>("select id from runs where cancel_asked = 1 and status = 'running'");
  return rows.map(({ id }) => id);
}

interface RenewedRun {
  id: string;
  fence: number;
}

/** Returns the runs that the worker still holds, each with the fence of its newest claim. */
export async function renewLeases(db: Db, worker: string, runIds: string[], leaseUntil: string): Promise<RenewedRun[]> {
  const marks = runIds.map((_, index) => `$${index + 3}`).join(", ");
  // Locked in the order of their ids, like checkpoints that share a commit.
  return db.query<RenewedRun>(
    `update runs set lease_until = $2
      where id in (select id from runs where worker = $1 and status in ('running', 'outcome_unknown') and id in (${marks})
                    order by id ${db.lockRow})
     returning id, fence`,
    [worker, leaseUntil, ...runIds],
  );
}

/** Makes runs of tools and agents due again whose worker died. A locked row has a live worker. Returns how many. */
export async function releaseExpiredLeases(db: Db, now: string): Promise<number> {
  const rows = await db.query(
    `update runs set status = 'queued', worker = null, lease_until = null, run_at = $1
      where id in (select id from runs
                    where lease_until is not null and lease_until < $1 and kind = 'tool' and status = 'running'
                    order by id ${db.skipLocked})
     returning id`,
    [now],
  );
  return rows.length;
}

/** A worker that failed puts the run back into the queue, due at the given time. */
export async function requeueRun(
  db: Db,
  { runId, worker, fence }: Claim,
  { runAt, failures }: { runAt: string; failures: number },
): Promise<void> {
  await db.query(
    `update runs set status = 'queued', worker = null, lease_until = null, run_at = $4, failures = $5
      where id = $1 and worker = $2 and fence = $3 and status = 'running'`,
    [runId, worker, fence, runAt, failures],
  );
}

/** How a run leaves its worker: ended, or waiting for something. */
export interface RunEnd {
  status: RunStatus;
  output: unknown;
  problem: StepProblem | null;
  waitingFor: WaitingFor | null;
  runAt: string | null;
  finishedAt: string | null;
}

/** A worker that has claimed the entry of a run holds the run from now on, unless another one was faster, or it was cancelled. */
export async function beginRun(db: Db, { runId, worker, fence }: Claim, leaseUntil: string): Promise<boolean> {
  const rows = await db.query(
    `update runs set status = 'running', worker = $2, fence = $3, lease_until = $4, run_at = null
      where id = $1 and status = 'queued' and fence = 0 and cancel_asked = 0 returning id`,
    [runId, worker, fence, leaseUntil],
  );
  return rows.length > 0;
}

/** A run that its worker holds, or one of the queue that no worker has begun. */
const endable = {
  held: "worker = $2 and fence = $3 and status = 'running'",
  queued: "fence = 0 and $3 = 1 and coalesce(worker, $2) = $2 and status = 'queued'",
} as const;

export async function endRun(
  db: Db,
  { runId, worker, fence }: Claim,
  end: RunEnd,
  from: keyof typeof endable = "held",
): Promise<boolean> {
  const output = end.output === null || end.output === undefined ? null : textOf(end.output);
  const values: Value[] = [
    runId,
    worker,
    fence,
    end.status,
    ...outputColumns(output),
    textOrNull(end.problem),
    textOrNull(end.waitingFor),
    end.runAt,
    end.finishedAt,
  ];
  const rows = await db.query(
    // A cancelled run that begins to wait is due at once: it has reached its next boundary.
    `update runs set status = $4, output = $5, output_bytes = $6, problem = $7, waiting_for = $8,
            run_at = case when cancel_asked = 1 and $4 = 'waiting' then created_at else $9 end,
            finished_at = $10, worker = null, lease_until = null, fence = $3, progress_fence = $3, failures = 0
      where id = $1 and ${endable[from]} returning id`,
    values,
  );
  if (rows.length > 0 && isLarge(output)) await saveLarge(db, runId, wholeRun, output);
  return rows.length > 0;
}

export async function findPlannedRun(db: Db, projectId: string, runId: string): Promise<PlannedRun | null> {
  const [row] = await db.query<PlannedRow>(
    `select ${plannedColumns} from runs where id = $1 and project_id = $2 and kind = 'tool'`,
    [runId, projectId],
  );
  return row ? readPlannedRun(db, row) : null;
}

/** When the first run after `from` is due that was claimed before; null if none is. */
export async function nextDueAt(
  db: Db,
  { from }: { from: string },
  except: readonly string[] = [],
): Promise<string | null> {
  const [row] = await db.query<{ run_at: string }>(
    `select run_at from runs where run_at is not null and fence > 0 and run_at >= $1${notOf(except, 2)}
      order by run_at limit 1`,
    [from, ...except],
  );
  return row?.run_at ?? null;
}

export async function queueAgain(
  db: Db,
  runId: string,
  from: "waiting" | "outcome_unknown",
  now: string,
): Promise<boolean> {
  const rows = await db.query(
    `update runs set status = 'queued', run_at = $3, waiting_for = null, problem = null
      where id = $1 and status = $2 returning id`,
    [runId, from, now],
  );
  return rows.length > 0;
}

interface WaitingOwner {
  startedBy: string;
  projectId: string;
}

/**
 * The owners of waiting runs, but for those who surely may still act. Beside the event loop: with 100,000 waiting runs it
 * reads as many entries of an index.
 */
export async function listDoubtfulOwners(store: Store): Promise<WaitingOwner[]> {
  // Most of the time no run waits, and nothing needs a thread.
  const [waiting] = await store.query("select 1 as found from runs where status = 'waiting' limit 1");
  if (!waiting) return [];
  const rows = await store.querySlow<{ started_by: string; project_id: string }>(
    `select started_by, project_id from (select distinct started_by, project_id from runs where status = 'waiting') as owners
      where not exists (select 1 from users u join memberships m on m.user_id = u.id
                         where u.id = owners.started_by and m.project_id = owners.project_id and u.active = 1
                               and m.role in ('editor', 'admin'))`,
  );
  return rows.map((row) => ({ startedBy: row.started_by, projectId: row.project_id }));
}

/**
 * Of the next waiting runs of a project, makes those of this owner due; a run that is due earlier keeps its time. Returns how many, and the
 * last that was read if others remain.
 */
export async function makeDue(
  db: Db,
  { startedBy, projectId }: WaitingOwner,
  now: string,
  { after, limit }: { after: string; limit: number },
): Promise<{ made: number; readTo: string | null }> {
  // The index of waiting runs in the order of their ids: that of owners has no order, so each batch would read all of them.
  const next = `select id from runs where project_id = $1 and status <> 'succeeded' and status = 'waiting' and id > $2
                 order by id limit $3`;
  const [read] = await db.query<{ rows: number; last: string | null }>(
    `select count(*) as rows, max(id) as last from (${next}) as scanned`,
    [projectId, after, limit],
  );
  const rows = await db.query(
    `update runs set run_at = $5
      where id in (with scanned as materialized (select id as scanned_id from (${next}) as of_project)
                   select id from scanned cross join runs
                    where id = scanned_id and started_by = $4 and status = 'waiting' and (run_at is null or run_at > $5)
                    order by id ${db.skipLocked})
     returning id`,
    [projectId, after, limit, startedBy, now],
  );
  return { made: rows.length, readTo: Number(read?.rows) === limit ? (read?.last ?? null) : null };
}
