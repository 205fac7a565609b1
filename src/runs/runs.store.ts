import type { Db, Value } from "../store/db.ts";
import { type FoundRows, searchRows } from "../store/search-rows.ts";
import { deleteEntry, freeEntries, freeEntry } from "./queue/queue.ts";
import { readLarge, wholeRun } from "./record/large-outputs.ts";
import {
  type ListedRow,
  type ListedRun,
  listedColumns,
  type Run,
  type RunRow,
  readRun,
  runColumns,
  toListedRun,
} from "./record/run-record.ts";
import type { RunStatus } from "./record/run-status.ts";

/** Without a large output, which is stored outside the row: `outputBytes` is its size. */
export async function findShownRun(db: Db, projectId: string, runId: string): Promise<Run | null> {
  const [row] = await db.query<RunRow>(`select ${runColumns} from runs where id = $1 and project_id = $2`, [
    runId,
    projectId,
  ]);
  return row ? readRun(db, row) : null;
}

/** What a caller who waits for a run looks at, again and again. */
export interface RunState {
  status: RunStatus;
  waitingFor: Run["waitingFor"];
}

export async function findRunState(db: Db, projectId: string, runId: string): Promise<RunState | null> {
  const [row] = await db.query<Pick<RunRow, "status" | "waiting_for">>(
    "select status, waiting_for from runs where id = $1 and project_id = $2",
    [runId, projectId],
  );
  if (!row) return null;
  return { status: row.status as RunStatus, waitingFor: row.waiting_for === null ? null : JSON.parse(row.waiting_for) };
}

export const hasLargeOutput = ({ output, outputBytes }: Run): boolean => output === null && outputBytes > 0;

/** With its output, however large. */
export async function findRun(db: Db, projectId: string, runId: string): Promise<Run | null> {
  const run = await findShownRun(db, projectId, runId);
  return run && hasLargeOutput(run) ? { ...run, output: await readLarge(db, runId, wholeRun) } : run;
}

export interface RunFilter {
  status?: RunStatus | undefined;
  stepId?: string | undefined;
  toolId?: string | undefined;
  connectionId?: string | undefined;
  agentId?: string | undefined;
  conversationId?: string | undefined;
  waitingFor?: "approval" | undefined;
  created?: CreatedWithin | undefined;
}

/** Times as stored. The ids bound the scan: they carry the time, and a day of tolerance on either side. */
export interface CreatedWithin {
  since?: { at: string; id: string } | undefined;
  until?: { at: string; id: string } | undefined;
}

type RunPage = { after: string; limit: number };

/** Newest first, without large outputs. */
export async function listRuns(db: Db, projectId: string, filter: RunFilter, page: RunPage): Promise<Run[]> {
  const runs: Run[] = [];
  for (const row of (await selectRuns<RunRow>(db, runColumns, projectId, filter, page)).rows)
    runs.push(await readRun(db, row));
  return runs;
}

/** One page of a search for a text or a step reads so many rows at most: each of them can be long. */
export const searchedRowsMax = 1000;
/** Longer outputs are not searched. */
const searchedOutputBytesMax = 8192;

/** Filters of which each row is read. */
export interface RunSearch {
  /** In the id, the step, the problem, the wait or the output, whatever its case. */
  text?: string | undefined;
  /** A step that ran in it: alone, in a tool, or called by an agent. */
  withStep?: string | undefined;
}

/**
 * Newest first. `searchedTo` names the last row that was read if the page is not full and older ones remain. Params are not searched:
 * stored unmasked, they would tell a viewer by guesses what they hold.
 */
export async function listRunSummaries(
  db: Db,
  projectId: string,
  filter: RunFilter & RunSearch,
  page: RunPage,
): Promise<FoundRows<ListedRun>> {
  const { rows, searchedTo } = await selectRuns<ListedRow>(db, listedColumns, projectId, filter, page);
  return { rows: rows.map(toListedRun), searchedTo };
}

function holdsText(parameter: number): string {
  const holds = (column: string) => `lower(${column}) like lower($${parameter}) escape '!'`;
  return `(${["id", "step_id", "problem", "waiting_for"].map(holds).join(" or ")}
           or case when octet_length(output) <= ${searchedOutputBytesMax} then ${holds("output")} else false end)`;
}

/** Of a foreach, its first iteration tells. */
const usesStep = (parameter: number): string =>
  `(step_id = $${parameter} or exists (
     select 1 from run_steps where run_id = runs.id and turn <= 0 and run_steps.step_id = $${parameter}))`;

function selectRuns<Row>(
  db: Db,
  columns: string,
  projectId: string,
  filter: RunFilter & RunSearch,
  page: RunPage,
): Promise<FoundRows<Row>> {
  const { indexed, where, values } = conditionsOf(projectId, filter);
  const readsMuch = filter.text !== undefined || filter.withStep !== undefined;
  const search = { table: "runs", columns, indexed, where, values, order: "newest" as const, readsMuch };
  return searchRows<Row>(db, search, page, readsMuch ? searchedRowsMax : undefined);
}

/** The conditions of a list of runs, and those among them that an index answers in the order of ids. */
function conditionsOf(projectId: string, filter: RunFilter & RunSearch) {
  const values: Value[] = [];
  const where = (column: string, operator: string, value: Value) => `${column} ${operator} $${values.push(value)}`;
  const equals = (column: string, value: string | undefined): string[] =>
    value === undefined ? [] : [where(column, "=", value)];
  const ofProject = where("project_id", "=", projectId);
  const ofAgent = equals("agent_id", filter.agentId);
  const ofConversation = equals("conversation_id", filter.conversationId);
  const others = [...equals("tool_id", filter.toolId), ...equals("connection_id", filter.connectionId)];
  const isOpen = filter.status !== undefined && filter.status !== "succeeded";
  // The first is that of the index `runs_not_succeeded`, which both stores recognize only as it stands there.
  const status = [...(isOpen ? ["status <> 'succeeded'"] : []), ...equals("status", filter.status)];
  const { since, until } = filter.created ?? {};
  const bounds = [...(since ? [where("id", ">=", since.id)] : []), ...(until ? [where("id", "<", until.id)] : [])];

  const indexed = [
    ...others,
    ...(ofAgent.length === 0 ? ofConversation : [[...ofAgent, ...ofConversation].join(" and ")]),
  ];
  if (isOpen) indexed.push([ofProject, ...status].join(" and "));
  if (filter.waitingFor === "approval") indexed.push(`${ofProject} and ${waitsForApproval}`);
  const [first = ofProject, ...more] = indexed;
  const within = (condition: string): string => [condition, ...bounds].join(" and ");

  const conditions = [
    ...[ofProject, ...status, ...others, ...ofAgent, ...ofConversation],
    ...equals("step_id", filter.stepId),
    ...(filter.waitingFor === "approval" ? [waitsForApproval] : []),
    ...(since ? [where("created_at", ">=", since.at)] : []),
    ...(until ? [where("created_at", "<", until.at)] : []),
    ...(filter.text === undefined ? [] : [holdsText(values.push(`%${filter.text.replace(/[!%_]/g, "!$&")}%`))]),
    ...(filter.withStep === undefined ? [] : [usesStep(values.push(filter.withStep))]),
  ];
  const indexes: [string, ...string[]] = [within(first), ...more.map(within)];
  return { indexed: indexes, where: conditions.join(" and "), values };
}

/** A wait for an approval is written with its kind first. As in the index `runs_to_approve`. */
const waitsForApproval = `status = 'waiting' and waiting_for like '{"kind":"approval"%'`;

/** Ends every lease that a worker holds. */
export async function endLeases(db: Db, at: string): Promise<void> {
  await db.query(
    "update runs set lease_until = $1 where lease_until > $1 and (status = 'running' or worker is not null)",
    [at],
  );
  await freeEntries(db);
}

/**
 * Cancels a waiting run at once; a run that a worker holds stops at its next boundary. Returns null for a run that has
 * ended, and for a single step under way, which has no boundary.
 */
export async function cancelNow(
  db: Db,
  projectId: string,
  runId: string,
  now: string,
): Promise<"cancelled" | "asked" | null> {
  const stop = async () => {
    const rows = await db.query(
      `update runs set status = 'cancelled', finished_at = $3, run_at = null, waiting_for = null, lease_until = null,
              worker = null
      where id = $1 and project_id = $2 and status in ('queued', 'waiting', 'outcome_unknown') returning id`,
      [runId, projectId, now],
    );
    if (rows.length > 0) await deleteEntry(db, runId);
    return rows;
  };
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

/** Of a run that has ended. */
export async function updateProblem(db: Db, runId: string, problem: Run["problem"]): Promise<void> {
  await db.query("update runs set problem = $2 where id = $1", [runId, problem && JSON.stringify(problem)]);
}

/** The next worker to claim the run ends it; a run that no worker holds becomes due at once. */
export async function requestCancel(db: Db, projectId: string, runId: string, now: Date): Promise<void> {
  await db.query(
    `update runs set cancel_asked = 1, run_at = case when status = 'running' then run_at else $3 end
      where id = $1 and project_id = $2 and status in ('queued', 'waiting', 'running')`,
    [runId, projectId, now.toISOString()],
  );
  // A worker that has claimed its entry cannot begin it any more.
  await freeEntry(db, runId);
}

/** Waits for a transaction that is ending it at this moment. */
export async function hasRunEnded(db: Db, projectId: string, runId: string): Promise<boolean> {
  const [row] = await db.query<{ finished_at: string | null }>(
    `select finished_at from runs where id = $1 and project_id = $2 ${db.lockRow}`,
    [runId, projectId],
  );
  return row !== undefined && row.finished_at !== null;
}

/** The status of each of these runs, by id. */
export async function readRunStatuses(
  db: Db,
  projectId: string,
  runIds: readonly string[],
): Promise<Map<string, RunStatus>> {
  if (runIds.length === 0) return new Map();
  const marks = runIds.map((_, index) => `$${index + 2}`).join(", ");
  const rows = await db.query<{ id: string; status: RunStatus }>(
    `select id, status from runs where project_id = $1 and id in (${marks})`,
    [projectId, ...runIds],
  );
  return new Map(rows.map(({ id, status }) => [id, status]));
}
