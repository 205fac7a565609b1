import { isoTime } from "../kernel/times.ts";
import type { Db, Value } from "../store/db.ts";
import { inRow, isLarge, keepLarge, readLarge, wholeRun } from "./journal/large-outputs.ts";
import {
  isStepRun,
  type ListedRow,
  type ListedRun,
  listedColumns,
  type Run,
  type RunRow,
  runColumns,
  type StepRun,
  toListedRun,
  toRun,
} from "./run.ts";
import type { RunStatus } from "./run-status.ts";

// A constant: a text that is built for each call would be hashed and compared each time.
const insertText = `insert into runs (id, organization_id, project_id, kind, step_id, connection_id, status, params, attempts,
       output, output_bytes, warnings, problem, limits, started_by, key_id, created_at, finished_at, lease_until, worker, fence)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`;

/** The run of a single step, in one statement. `outputText` is the output as JSON, where it was written before. */
export async function insertStepRun(db: Db, run: StepRun, outputText?: string): Promise<void> {
  const output = run.output === null ? null : (outputText ?? JSON.stringify(run.output));
  await db.query(insertText, [
    run.id,
    run.organizationId,
    run.projectId,
    "step",
    run.work.id,
    run.work.connectionId,
    ...changing(run, output),
    run.leaseUntil,
    run.worker,
    run.fence,
  ]);
  if (isLarge(output)) await keepLarge(db, run.id, wholeRun, output);
}

/** What changes while a step runs, in the order of the columns. */
const changing = (run: Run, output: string | null): Value[] => [
  run.status,
  JSON.stringify(run.params),
  JSON.stringify(run.attempts),
  ...inRow(output),
  JSON.stringify(run.warnings),
  run.problem === null ? null : JSON.stringify(run.problem),
  JSON.stringify(run.limits),
  run.startedBy,
  run.keyId,
  run.createdAt,
  run.finishedAt,
];

const waitingOf = ({ waitingFor }: Run): string | null => (waitingFor === null ? null : JSON.stringify(waitingFor));

/** Which worker holds a run, by which claim. */
export type RunHold = Pick<Run, "worker" | "fence">;

/**
 * Writes to a run that the caller still holds; a run that was settled or taken over meanwhile stays as it is. The worker renews the
 * lease apart from this. It ends with the run; with an unknown outcome it becomes the time of the next probe. Returns whether it wrote.
 */
export async function updateRunning(db: Db, run: Run, held: RunHold, outputText?: string): Promise<boolean> {
  const output = run.output === null ? null : (outputText ?? JSON.stringify(run.output));
  const rows = await db.query(
    `update runs set status = $2, params = $3, attempts = $4, output = $5, output_bytes = $6, warnings = $7, problem = $8,
            limits = $9, started_by = $10, key_id = $11, created_at = $12, finished_at = $13,
            lease_until = case when $2 = 'running' then lease_until else $16 end,
            worker = case when $2 = 'running' then worker end, waiting_for = $17
      where id = $1 and status = 'running' and coalesce(worker, '') = $14 and fence = $15 returning id`,
    [run.id, ...changing(run, output), held.worker ?? "", held.fence, run.leaseUntil, waitingOf(run)],
  );
  if (rows.length > 0 && isLarge(output)) await keepLarge(db, run.id, wholeRun, output);
  return rows.length > 0;
}

/** Without a large output, which is kept outside the row: `outputBytes` says how large it is. */
export async function findShownRun(db: Db, projectId: string, runId: string): Promise<Run | null> {
  const [row] = await db.query<RunRow>(`select ${runColumns} from runs where id = $1 and project_id = $2`, [
    runId,
    projectId,
  ]);
  return row ? toRun(row) : null;
}

export const liesApart = ({ output, outputBytes }: Run): boolean => output === null && outputBytes > 0;

/** With its output, however large. */
export async function findRun(db: Db, projectId: string, runId: string): Promise<Run | null> {
  const run = await findShownRun(db, projectId, runId);
  return run && liesApart(run) ? { ...run, output: await readLarge(db, runId, wholeRun) } : run;
}

export interface RunFilter {
  status?: RunStatus | undefined;
  stepId?: string | undefined;
  toolId?: string | undefined;
  connectionId?: string | undefined;
  agentId?: string | undefined;
  conversationId?: string | undefined;
}

type RunPage = { after: string; limit: number };

/** Newest first, without large outputs. */
export const listRuns = async (db: Db, projectId: string, filter: RunFilter, page: RunPage): Promise<Run[]> =>
  (await selectRuns<RunRow>(db, runColumns, projectId, filter, page)).map(toRun);

export const listRunSummaries = async (
  db: Db,
  projectId: string,
  filter: RunFilter,
  page: RunPage,
): Promise<ListedRun[]> => (await selectRuns<ListedRow>(db, listedColumns, projectId, filter, page)).map(toListedRun);

function selectRuns<Row>(db: Db, wanted: string, projectId: string, filter: RunFilter, page: RunPage): Promise<Row[]> {
  const values: Value[] = [projectId, page.limit];
  const where = (column: string, operator: string, value: Value) => {
    values.push(value);
    return `and ${column} ${operator} $${values.length}`;
  };
  const conditions = [
    page.after === "" ? "" : where("id", "<", page.after),
    filter.status === undefined ? "" : where("status", "=", filter.status),
    filter.stepId === undefined ? "" : where("step_id", "=", filter.stepId),
    filter.toolId === undefined ? "" : where("tool_id", "=", filter.toolId),
    filter.connectionId === undefined ? "" : where("connection_id", "=", filter.connectionId),
    filter.agentId === undefined ? "" : where("agent_id", "=", filter.agentId),
    filter.conversationId === undefined ? "" : where("conversation_id", "=", filter.conversationId),
  ];
  return db.query<Row>(
    `select ${wanted} from runs where project_id = $1 ${conditions.join(" ")} order by id desc limit $2`,
    values,
  );
}

/** Ends every lease that a worker holds. */
export async function endLeases(db: Db, at: string): Promise<void> {
  await db.query(
    "update runs set lease_until = $1 where lease_until > $1 and (status = 'running' or worker is not null)",
    [at],
  );
}

/**
 * Claims runs of single steps whose worker died, and those with an unknown outcome whose next probe is due. Each goes to one
 * worker. The run of a tool or an agent passes the queue instead (`releaseExpiredLeases`).
 */
export async function claimAbandoned(
  db: Db,
  worker: string,
  times: { now: Date; leaseUntil: Date },
  limit: number,
): Promise<StepRun[]> {
  const rows = await db.query<RunRow>(
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
  return rows.map(toRun).filter(isStepRun);
}

/** Writes the outcome of a probe, unless the run was settled meanwhile. Returns whether it wrote. */
export async function updateProbed(db: Db, run: Run, held: RunHold): Promise<boolean> {
  const output = run.output === null ? null : JSON.stringify(run.output);
  const rows = await db.query(
    `update runs set status = $2, params = $3, attempts = $4, warnings = $7, problem = $8,
            output = case when $2 = 'outcome_unknown' then output else $5 end,
            output_bytes = case when $2 = 'outcome_unknown' then output_bytes else $6 end, limits = $9, started_by = $10, key_id = $11, created_at = $12, finished_at = $13, lease_until = $16,
            worker = null, waiting_for = $17
      where id = $1 and status = 'outcome_unknown' and worker = $14 and fence = $15 returning id`,
    [run.id, ...changing(run, output), held.worker, held.fence, run.leaseUntil, waitingOf(run)],
  );
  if (rows.length > 0 && isLarge(output)) await keepLarge(db, run.id, wholeRun, output);
  return rows.length > 0;
}

/** Settles an unknown outcome: the run ends, or a worker holds it to try again. Returns false if it was settled before. */
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
      ...inRow(output),
      run.finishedAt,
      run.leaseUntil,
      run.worker,
      run.fence,
      waitingOf(run),
    ],
  );
  if (rows.length > 0 && isLarge(output)) await keepLarge(db, run.id, wholeRun, output);
  return rows.length > 0;
}

/**
 * Cancels a run that waits at once; a run that a worker holds stops at its next boundary. Returns null for one that has ended, and
 * for a single step under way, which has no boundary.
 */
export async function cancelNow(
  db: Db,
  projectId: string,
  runId: string,
  now: string,
): Promise<"cancelled" | "asked" | null> {
  const stop = () =>
    db.query(
      `update runs set status = 'cancelled', finished_at = $3, run_at = null, waiting_for = null, lease_until = null,
              worker = null
      where id = $1 and project_id = $2 and status in ('queued', 'waiting', 'outcome_unknown') returning id`,
      [runId, projectId, now],
    );
  if ((await stop()).length > 0) return "cancelled";
  const asked = await db.query(
    `update runs set cancel_asked = 1
      where id = $1 and project_id = $2 and status = 'running' and kind = 'tool' returning id`,
    [runId, projectId],
  );
  if (asked.length > 0) return "asked";
  // Its worker may have released it between the two statements.
  return (await stop()).length > 0 ? "cancelled" : null;
}

/** The next worker to claim it ends it; a run that no worker holds is due at once. */
export async function requestCancel(db: Db, projectId: string, runId: string, now: Date): Promise<void> {
  await db.query(
    `update runs set cancel_asked = 1, run_at = case when status = 'running' then run_at else $3 end
      where id = $1 and project_id = $2 and status in ('queued', 'waiting', 'running')`,
    [runId, projectId, now.toISOString()],
  );
}

/** Waits for a transaction that is ending it at this moment. */
export async function hasRunEnded(db: Db, projectId: string, runId: string): Promise<boolean> {
  const [row] = await db.query<{ finished_at: string | null }>(
    `select finished_at from runs where id = $1 and project_id = $2 ${db.lockRow}`,
    [runId, projectId],
  );
  return row !== undefined && row.finished_at !== null;
}
