import { parseInSlices, unlimited } from "../kernel/parse-in-slices.ts";
import { smallCharacters } from "../kernel/strict-json.ts";
import { turnAlone } from "../kernel/work-in-slices.ts";
import { columnOf } from "../runs/record/large-outputs.ts";
import type { Db, Store, Value } from "../store/db.ts";
import { inTurns } from "../store/delete-in-batches.ts";
import { readTextInTurns, releaseTexts } from "../store/large-texts.ts";
import type { Misfire } from "./cron-times.ts";

export interface ScheduleProblem {
  code: string;
  detail: string;
}

export interface Schedule {
  id: string;
  organizationId: string;
  projectId: string;
  toolId: string;
  cron: string;
  timeZone: string;
  misfire: Misfire;
  params: unknown;
  enabled: boolean;
  /** Null while it is disabled. */
  nextAt: string | null;
  /** The last run that it started, and when; null before the first. */
  lastAt: string | null;
  lastRunId: string | null;
  /** Why nothing was started the last time it was due. */
  lastProblem: ScheduleProblem | null;
  /** The person on whose behalf it starts runs: who created it, or changed it last. */
  runAs: string;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
}

interface ScheduleRow {
  id: string;
  organization_id: string;
  project_id: string;
  tool_id: string;
  cron: string;
  time_zone: string;
  misfire: string;
  /** Their JSON, or a reference to it. */
  params: string;
  enabled: number;
  next_at: string | null;
  last_at: string | null;
  last_run_id: string | null;
  last_problem: string | null;
  run_as: string;
  created_by: string;
  created_at: string;
  updated_at: string;
}

/** Without the params, which may have megabytes: what it takes to see that it is due. */
export type DueSchedule = Omit<Schedule, "params">;
export type DueRow = Omit<ScheduleRow, "params">;

/** With its params as their column holds them: no transaction reads megabytes. */
export type StoredSchedule = DueSchedule & Pick<ScheduleRow, "params">;

/** Large params are read in slices, so this is no work for a transaction. */
export async function withParams(db: Db, stored: StoredSchedule): Promise<Schedule> {
  const text = await readTextInTurns(db, stored.params);
  if (text.length <= smallCharacters) return { ...stored, params: JSON.parse(text) };
  const params = await parseInSlices(text, unlimited);
  await turnAlone();
  return { ...stored, params };
}

const toStored = (row: ScheduleRow): StoredSchedule => ({ ...toDue(row), params: row.params });

export const toDue = (row: DueRow): DueSchedule => ({
  id: row.id,
  organizationId: row.organization_id,
  projectId: row.project_id,
  toolId: row.tool_id,
  cron: row.cron,
  timeZone: row.time_zone,
  misfire: row.misfire as Misfire,
  enabled: row.enabled === 1,
  nextAt: row.next_at,
  lastAt: row.last_at,
  lastRunId: row.last_run_id,
  lastProblem: row.last_problem === null ? null : (JSON.parse(row.last_problem) as ScheduleProblem),
  runAs: row.run_as,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const columns = `id, organization_id, project_id, tool_id, cron, time_zone, misfire, params, enabled, next_at, last_at,
  last_run_id, last_problem, created_by, created_at, updated_at, run_as`;

export const dueColumns = columns.replace(" params,", "");

export const problemText = (problem: ScheduleProblem | null): string | null => problem && JSON.stringify(problem);

export async function insertSchedule(db: Db, schedule: Schedule): Promise<void> {
  const values: Value[] = [
    schedule.id,
    schedule.organizationId,
    schedule.projectId,
    schedule.toolId,
    schedule.cron,
    schedule.timeZone,
    schedule.misfire,
    await columnOf(db, schedule.params),
    schedule.enabled ? 1 : 0,
    schedule.nextAt,
    schedule.lastAt,
    schedule.lastRunId,
    problemText(schedule.lastProblem),
    schedule.createdBy,
    schedule.createdAt,
    schedule.updatedAt,
    schedule.runAs,
  ];
  await db.query(
    `insert into schedules (${columns})
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
    values,
  );
}

/** Its params stay as they are. */
export async function updateSchedule(db: Db, schedule: DueSchedule): Promise<void> {
  const { id, cron, timeZone, misfire, enabled, nextAt, lastAt, lastRunId, lastProblem, updatedAt, runAs } = schedule;
  const times = [nextAt, lastAt, lastRunId, problemText(lastProblem), updatedAt];
  await db.query(
    `update schedules set cron = $2, time_zone = $3, misfire = $4, enabled = $5, next_at = $6, last_at = $7,
            last_run_id = $8, last_problem = $9, updated_at = $10, run_as = $11
      where id = $1`,
    [id, cron, timeZone, misfire, enabled ? 1 : 0, ...times, runAs],
  );
}

/** Returns what their column holds now. */
export async function replaceParams(db: Db, { id, params }: StoredSchedule, newParams: unknown): Promise<string> {
  const column = await columnOf(db, newParams);
  await db.query("update schedules set params = $2 where id = $1", [id, column]);
  await releaseTexts(db, [params]);
  return column;
}

export async function findSchedule(db: Db, projectId: string, id: string): Promise<Schedule | null> {
  const [row] = await db.query<ScheduleRow>(`select ${columns} from schedules where id = $1 and project_id = $2`, [
    id,
    projectId,
  ]);
  return row ? withParams(db, toStored(row)) : null;
}

/** Locks the schedule until this transaction ends. */
export async function lockSchedule(db: Db, projectId: string, id: string): Promise<StoredSchedule | null> {
  const [row] = await db.query<ScheduleRow>(
    `select ${columns} from schedules where id = $1 and project_id = $2 ${db.lockRow}`,
    [id, projectId],
  );
  return row ? toStored(row) : null;
}

export async function listSchedules(
  db: Db,
  projectId: string,
  toolId: string | undefined,
  page: { after: string; limit: number },
): Promise<Schedule[]> {
  const rows = await db.query<ScheduleRow>(
    `select ${columns} from schedules where project_id = $1 and id > $2 ${toolId === undefined ? "" : "and tool_id = $4"}
      order by id limit $3`,
    toolId === undefined ? [projectId, page.after, page.limit] : [projectId, page.after, page.limit, toolId],
  );
  const schedules: Schedule[] = [];
  for (const row of rows) schedules.push(await withParams(db, toStored(row)));
  return schedules;
}

/** No reference is longer, and no text that is this short needs one. */
const referenceBytesMax = 100;

/** In the same order, without reading the schedules themselves. */
export async function listScheduleSizes(
  db: Db,
  projectId: string,
  toolId: string | undefined,
  page: { after: string; limit: number },
): Promise<number[]> {
  const rows = await db.query<{ bytes: number }>(
    `select case when octet_length(params) <= ${referenceBytesMax} and params like '@%'
                 then (select sum(octet_length(text)) from large_texts where large_texts.id = substr(params, 2))
                 else octet_length(params) end as bytes
       from schedules where project_id = $1 and id > $2 ${toolId === undefined ? "" : "and tool_id = $4"}
      order by id limit $3`,
    toolId === undefined ? [projectId, page.after, page.limit] : [projectId, page.after, page.limit, toolId],
  );
  return rows.map(({ bytes }) => Number(bytes));
}

export async function deleteSchedule(db: Db, projectId: string, id: string): Promise<boolean> {
  const rows = await db.query<Pick<ScheduleRow, "params">>(
    "delete from schedules where id = $1 and project_id = $2 returning params",
    [id, projectId],
  );
  await releaseTexts(
    db,
    rows.map(({ params }) => params),
  );
  return rows.length > 0;
}

/** Returns how many. */
export const deleteSchedulesOfTool = (db: Db, toolId: string): Promise<number> =>
  inTurns(async (limit) => {
    const rows = await db.query<Pick<ScheduleRow, "params">>(
      "delete from schedules where id in (select id from schedules where tool_id = $1 limit $2) returning params",
      [toolId, limit],
    );
    await releaseTexts(
      db,
      rows.map(({ params }) => params),
    );
    return rows.length;
  });

export async function readSchedule(store: Store, id: string): Promise<Schedule | null> {
  const [row] = await store.query<ScheduleRow>(`select ${columns} from schedules where id = $1`, [id]);
  return row ? withParams(store, toStored(row)) : null;
}
