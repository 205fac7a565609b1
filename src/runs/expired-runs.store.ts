import type { Db, Row } from "../store/db.ts";
import { type ExpiredRow, type ExpiryPage, marksFrom } from "../store/expiring-tables.ts";
import { markTextsForDeletion, readText } from "../store/large-texts.ts";

/** Runs that wait for a person, a time or a worker never expire, however old they are. */
const hasEnded = "status in ('succeeded', 'failed', 'cancelled')";

export interface EndedRun extends ExpiredRow {
  source: string | null;
  conversationId: string | null;
}

interface EndedRow {
  id: string;
  created_at: string;
  finished_at: string;
  bytes: number;
  source: string | null;
  conversation_id: string | null;
}

const columns = `id, created_at, finished_at, octet_length(params) + output_bytes as bytes, source, conversation_id`;

const toEnded = (row: EndedRow): EndedRun => ({
  id: row.id,
  createdAt: row.created_at,
  mark: row.finished_at,
  bytes: Number(row.bytes),
  source: row.source,
  conversationId: row.conversation_id,
});

export async function findEnded(db: Db, projectId: string, page: ExpiryPage): Promise<EndedRun[]> {
  const rows = await db.query<EndedRow>(
    `select ${columns} from runs
      where project_id = $1 and id > $2 and id < $3 and ${hasEnded} and finished_at < $4
      order by id limit $5`,
    [projectId, page.above, page.below, page.before, page.limit],
  );
  return rows.map(toEnded);
}

export async function lockEnded(
  db: Db,
  projectId: string,
  ids: readonly string[],
  before: string,
): Promise<EndedRun[]> {
  const rows = await db.query<EndedRow>(
    `select ${columns} from runs
      where project_id = $1 and finished_at < $2 and ${hasEnded} and id in (${marksFrom(3, ids)}) ${db.lockRow}`,
    [projectId, before, ...ids],
  );
  return rows.map(toEnded);
}

/** Conversations among these that have a run which has not expired: their earlier runs are its history. */
export async function liveConversations(db: Db, ids: readonly string[], before: string): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.query<{ conversation_id: string }>(
    `select distinct conversation_id from runs
      where conversation_id in (${marksFrom(2, ids)}) and not (${hasEnded} and finished_at < $1)`,
    [before, ...ids],
  );
  return new Set(rows.map((row) => row.conversation_id));
}

/** Runs among these that have not ended. */
export async function openAmong(db: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.query<{ id: string }>(
    `select id from runs where id in (${marksFrom(1, ids)}) and not (${hasEnded})`,
    ids,
  );
  return new Set(rows.map((row) => row.id));
}

/** Events among these that are still stored: they name the runs that they started. */
export async function storedEvents(db: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.query<{ id: string }>(`select id from events where id in (${marksFrom(1, ids)})`, ids);
  return new Set(rows.map((row) => row.id));
}

/** The last run of each schedule of the project. */
export async function lastRunsOfSchedules(db: Db, projectId: string): Promise<Set<string>> {
  const rows = await db.query<{ last_run_id: string }>(
    "select last_run_id from schedules where project_id = $1 and last_run_id is not null",
    [projectId],
  );
  return new Set(rows.map((row) => row.last_run_id));
}

/** Steps and large outputs can be many and long: they are noted here, and deleted a few at a time afterwards. */
export async function deleteRuns(db: Db, ids: readonly string[]): Promise<void> {
  const marks = marksFrom(1, ids);
  await db.query(
    `insert into run_remains (run_id)
     select run_id from run_steps where run_id in (${marks})
      union select run_id from large_outputs where run_id in (${marks})`,
    ids,
  );
  await markTextsForDeletion(db, { table: "runs", column: "params" }, ids);
  await db.query(`delete from runs where id in (${marks})`, ids);
}

export async function findRemains(db: Db): Promise<string | null> {
  const [row] = await db.query<{ run_id: string }>("select run_id from run_remains order by run_id limit 1");
  return row?.run_id ?? null;
}

/** Each returns how many rows it deleted: none if nothing is left. */
export async function deleteSomeSteps(db: Db, runId: string, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from run_steps where run_id = $1 and (position, turn) in
       (select position, turn from run_steps where run_id = $1 order by position, turn limit $2) returning turn`,
    [runId, limit],
  );
  return rows.length;
}

export async function deleteOneLargeOutput(db: Db, runId: string): Promise<number> {
  const rows = await db.query(
    `delete from large_outputs where run_id = $1 and (position, turn) in
       (select position, turn from large_outputs where run_id = $1 order by position, turn limit 1) returning turn`,
    [runId],
  );
  return rows.length;
}

export async function deleteRemains(db: Db, runId: string): Promise<void> {
  await db.query("delete from run_remains where run_id = $1", [runId]);
}

export async function readRunRow(db: Db, id: string): Promise<Row | null> {
  const [row] = await db.query("select * from runs where id = $1", [id]);
  return row ? { ...row, params: await readText(db, String(row.params)) } : null;
}

/** Rows of a table that belong to a run, in order, after a position. */
export const readRowsOf = (
  db: Db,
  table: "run_steps" | "large_outputs",
  runId: string,
  { position, turn }: { position: number; turn: number },
  limit: number,
): Promise<Row[]> =>
  db.query(
    `select * from ${table} where run_id = $1 and (position, turn) > ($2, $3) order by position, turn limit $4`,
    [runId, position, turn, limit],
  );
