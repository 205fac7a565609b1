import { isoTime } from "../../kernel/times.ts";
import type { Db } from "../../store/db.ts";
import { columnOf, isLarge, outputColumns, saveLarge, wholeRun } from "../record/large-outputs.ts";
import {
  changingValues,
  newRowColumns,
  newRowMarks,
  newRowValues,
  type Run,
  type RunRow,
  runColumns,
  type StepRun,
} from "../record/run-record.ts";

// A constant, so that its text is hashed once and not with every call.
const insertText = `insert into runs (${newRowColumns}, step_id, connection_id) values (${newRowMarks}, $20, $21)`;

/**
 * Inserts the run of a single step, in one statement. `outputText` is the output as JSON, if it was serialized before. The queue
 * has another statement for tools and agents: it looks for their published definition and binds seven values more, which each
 * call of a step would pay for.
 */
export async function insertStepRun(db: Db, run: StepRun, outputText?: string): Promise<void> {
  const output = run.output === null ? null : (outputText ?? JSON.stringify(run.output));
  const row = newRowValues(run, await columnOf(db, run.params), outputColumns(output));
  await db.query(insertText, [...row, run.work.id, run.work.connectionId]);
  if (isLarge(output)) await saveLarge(db, run.id, wholeRun, output);
}

const waitingOf = ({ waitingFor }: Run): string | null => (waitingFor === null ? null : JSON.stringify(waitingFor));

/** Which worker holds a run, by which claim. */
export type RunHold = Pick<Run, "worker" | "fence">;

/**
 * Writes to a run that the caller still holds; a run that was settled or claimed meanwhile stays as it is. The
 * heartbeat renews the lease, not this statement. The lease ends with the run; with an unknown outcome, it becomes the
 * time of the next probe. Returns whether it wrote.
 */
export async function updateRunning(db: Db, run: Run, held: RunHold, outputText?: string): Promise<boolean> {
  const output = run.output === null ? null : (outputText ?? JSON.stringify(run.output));
  const rows = await db.query(
    `update runs set status = $2, attempts = $3, output = $4, output_bytes = $5, warnings = $6, problem = $7, limits = $8,
            finished_at = $9, lease_until = case when $2 = 'running' then lease_until else $12 end,
            worker = case when $2 = 'running' then worker end, waiting_for = $13
      where id = $1 and status = 'running' and coalesce(worker, '') = $10 and fence = $11 returning id`,
    [
      run.id,
      ...changingValues(run, outputColumns(output)),
      held.worker ?? "",
      held.fence,
      run.leaseUntil,
      waitingOf(run),
    ],
  );
  if (rows.length > 0 && isLarge(output)) await saveLarge(db, run.id, wholeRun, output);
  return rows.length > 0;
}

/**
 * Claims runs of single steps whose worker died, and those with an unknown outcome whose next probe is due. Each goes
 * to one worker. Runs of tools and agents pass the queue instead (`releaseExpiredLeases`).
 */
export async function claimAbandoned(
  db: Db,
  worker: string,
  times: { now: Date; leaseUntil: Date },
  limit: number,
): Promise<RunRow[]> {
  return db.query<RunRow>(
    `update runs set lease_until = $2, worker = $4, fence = fence + 1
      where id in (with abandoned as materialized
                      (select id from runs
                        where lease_until is not null and lease_until < $1 and kind = 'step'
                              and status in ('running', 'outcome_unknown')
                        order by lease_until limit $3 ${db.skipLocked})
                    select id from abandoned)
     returning ${runColumns}`,
    [isoTime(times.now), isoTime(times.leaseUntil), limit, worker],
  );
}

/** Writes the outcome of a probe, unless the run was settled meanwhile. Returns whether it wrote. */
export async function updateProbed(db: Db, run: Run, held: RunHold): Promise<boolean> {
  const output = run.output === null ? null : JSON.stringify(run.output);
  const rows = await db.query(
    `update runs set status = $2, attempts = $3, warnings = $6, problem = $7,
            output = case when $2 = 'outcome_unknown' then output else $4 end,
            output_bytes = case when $2 = 'outcome_unknown' then output_bytes else $5 end,
            limits = $8, finished_at = $9, lease_until = $12, worker = null, waiting_for = $13
      where id = $1 and status = 'outcome_unknown' and worker = $10 and fence = $11 returning id`,
    [run.id, ...changingValues(run, outputColumns(output)), held.worker, held.fence, run.leaseUntil, waitingOf(run)],
  );
  if (rows.length > 0 && isLarge(output)) await saveLarge(db, run.id, wholeRun, output);
  return rows.length > 0;
}

/**
 * Settles an unknown outcome: the run ends, or a worker holds it to try again. Returns false if it was settled before.
 */
export async function settleUnknown(db: Db, run: Run): Promise<boolean> {
  const output = run.output === null ? null : JSON.stringify(run.output);
  const rows = await db.query(
    `update runs set status = $2, problem = $3, output = $4, output_bytes = $5, finished_at = $6, lease_until = $7,
            worker = $8, fence = $9, waiting_for = $10
      where id = $1 and status = 'outcome_unknown' returning id`,
    [
      run.id,
      run.status,
      run.problem === null ? null : JSON.stringify(run.problem),
      ...outputColumns(output),
      run.finishedAt,
      run.leaseUntil,
      run.worker,
      run.fence,
      waitingOf(run),
    ],
  );
  if (rows.length > 0 && isLarge(output)) await saveLarge(db, run.id, wholeRun, output);
  return rows.length > 0;
}
