import { parseInSlices, unlimited } from "../kernel/parse-in-slices.ts";
import { smallCharacters } from "../kernel/strict-json.ts";
import { turnAlone } from "../kernel/work-in-slices.ts";
import { textOf } from "../runs/journal/large-outputs.ts";
import type { Db, Store, Value } from "../store/db.ts";
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
type DueRow = Omit<ScheduleRow, "params">;

const toSchedule = (row: ScheduleRow): Schedule => ({ ...toDue(row), params: JSON.parse(row.params) });

/** The same; large params are read in slices. */
async function toScheduleOfAnySize(row: ScheduleRow): Promise<Schedule> {
  if (row.params.length <= smallCharacters) return toSchedule(row);
  const params = await parseInSlices(row.params, unlimited);
  await turnAlone();
  return { ...toDue(row), params };
}

const toDue = (row: DueRow): DueSchedule => ({
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

const dueColumns = columns.replace(" params,", "");

const valuesOf = (schedule: Schedule): Value[] => [
  schedule.id,
  schedule.organizationId,
  schedule.projectId,
  schedule.toolId,
  schedule.cron,
  schedule.timeZone,
  schedule.misfire,
  textOf(schedule.params),
  schedule.enabled ? 1 : 0,
  schedule.nextAt,
  schedule.lastAt,
  schedule.lastRunId,
  schedule.lastProblem === null ? null : JSON.stringify(schedule.lastProblem),
  schedule.createdBy,
  schedule.createdAt,
  schedule.updatedAt,
  schedule.runAs,
];

export async function insertSchedule(db: Db, schedule: Schedule): Promise<void> {
  await db.query(
    `insert into schedules (${columns})
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
    valuesOf(schedule),
  );
}

export async function updateSchedule(db: Db, schedule: Schedule): Promise<void> {
  const [id, , , , ...changing] = valuesOf(schedule);
  const [cron, timeZone, misfire, params, enabled, nextAt, lastAt, lastRunId, lastProblem, , , updatedAt, runAs] =
    changing;
  await db.query(
    `update schedules set cron = $2, time_zone = $3, misfire = $4, params = $5, enabled = $6, next_at = $7, last_at = $8,
            last_run_id = $9, last_problem = $10, updated_at = $11, run_as = $12
      where id = $1`,
    [id, cron, timeZone, misfire, params, enabled, nextAt, lastAt, lastRunId, lastProblem, updatedAt, runAs] as Value[],
  );
}

/** What starting its runs changes. Params may have megabytes, and stay as they are. */
export async function updateLastStart(db: Db, schedule: DueSchedule): Promise<void> {
  const { id, nextAt, lastAt, lastRunId, lastProblem } = schedule;
  await db.query("update schedules set next_at = $2, last_at = $3, last_run_id = $4, last_problem = $5 where id = $1", [
    id,
    nextAt,
    lastAt,
    lastRunId,
    lastProblem === null ? null : JSON.stringify(lastProblem),
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

export async function findSchedule(db: Db, projectId: string, id: string): Promise<Schedule | null> {
  const [row] = await db.query<ScheduleRow>(`select ${columns} from schedules where id = $1 and project_id = $2`, [
    id,
    projectId,
  ]);
  return row ? toSchedule(row) : null;
}

/** Locks the schedule until this transaction ends. */
export async function lockSchedule(db: Db, projectId: string, id: string): Promise<Schedule | null> {
  const [row] = await db.query<ScheduleRow>(
    `select ${columns} from schedules where id = $1 and project_id = $2 ${db.lockRow}`,
    [id, projectId],
  );
  return row ? toSchedule(row) : null;
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
  for (const row of rows) schedules.push(await toScheduleOfAnySize(row));
  return schedules;
}

/** In the same order, without reading the schedules themselves. */
export async function listScheduleSizes(
  db: Db,
  projectId: string,
  toolId: string | undefined,
  page: { after: string; limit: number },
): Promise<number[]> {
  const rows = await db.query<{ bytes: number }>(
    `select octet_length(params) as bytes from schedules where project_id = $1 and id > $2
        ${toolId === undefined ? "" : "and tool_id = $4"} order by id limit $3`,
    toolId === undefined ? [projectId, page.after, page.limit] : [projectId, page.after, page.limit, toolId],
  );
  return rows.map(({ bytes }) => Number(bytes));
}

export async function deleteSchedule(db: Db, projectId: string, id: string): Promise<boolean> {
  const rows = await db.query("delete from schedules where id = $1 and project_id = $2 returning id", [id, projectId]);
  return rows.length > 0;
}

/** Returns how many. */
export async function deleteSchedulesOfTool(db: Db, toolId: string): Promise<number> {
  return (await db.query("delete from schedules where tool_id = $1 returning id", [toolId])).length;
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

export async function readSchedule(store: Store, id: string): Promise<Schedule | null> {
  const [row] = await store.query<ScheduleRow>(`select ${columns} from schedules where id = $1`, [id]);
  return row ? toScheduleOfAnySize(row) : null;
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
  const rows = await db.query<Pick<ScheduleRow, "id" | "cron" | "time_zone" | "next_at">>(
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
