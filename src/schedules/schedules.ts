import { projectOf, type Scope } from "../access/scope.ts";
import { newId } from "../kernel/ids.ts";
import { type FieldError, Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import { readParams } from "../tools/params.ts";
import { definitionFor, requireTool } from "../tools/tools.ts";
import type { Compute } from "../untrusted/compute.ts";
import {
  claimDueSchedules,
  deleteSchedule as deleteScheduleRow,
  deleteSchedulesOfTool,
  findSchedule,
  insertSchedule,
  listDueSchedules,
  listSchedules as listScheduleRows,
  listScheduleSizes as listSizes,
  lockSchedule,
  type Schedule,
  updateSchedule,
} from "./schedules.store.ts";
import { findTimingMistakes, type Misfire, nextTimes } from "./times.ts";

export type { Schedule, ScheduleProblem } from "./schedules.store.ts";

export interface ScheduleWish {
  cron: string;
  timeZone: string;
  misfire: Misfire;
  params: unknown;
  enabled: boolean;
}

/** When it would start next, from now on. */
export const nextRunsOf = (schedule: Schedule, now: Date, count: number): string[] =>
  schedule.enabled ? nextTimes(schedule, now, count).map((time) => time.toISOString()) : [];

/** One that was found sound. */
export async function createSchedule(scope: Scope, toolId: string, wish: ScheduleWish): Promise<Schedule> {
  const now = scope.now();
  const tool = await requireTool(scope.db, projectOf(scope), toolId);
  requireTimes(scope, wish);
  const schedule: Schedule = {
    ...wish,
    id: newId("schedule", scope.region),
    organizationId: tool.organizationId,
    projectId: tool.projectId,
    toolId,
    nextAt: nextAtOf(wish, now),
    lastAt: null,
    lastRunId: null,
    lastProblem: null,
    runAs: scope.actor.userId,
    createdBy: scope.actor.userId,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  };
  await insertSchedule(scope.db, schedule);
  return schedule;
}

/** From the moment of the change on: what was missed while it was off is not made up for. */
export async function changeSchedule(scope: Scope, id: string, changed: Partial<ScheduleWish>): Promise<Schedule> {
  const schedule = await lockSchedule(scope.db, projectOf(scope), id);
  if (!schedule) throw new Problem("schedule_not_found");
  const now = scope.now();
  const wanted = { ...schedule, ...changed };
  requireTimes(scope, wanted);
  const kept: Schedule = {
    ...wanted,
    nextAt: nextAtOf(wanted, now),
    lastProblem: null,
    // Whoever changes it takes it over, so that what a person who left has made can go on.
    runAs: scope.actor.userId,
    updatedAt: now.toISOString(),
  };
  await updateSchedule(scope.db, kept);
  return kept;
}

function requireTimes(scope: Scope, wish: ScheduleWish): void {
  const errors = findTimingMistakes(wish, scope.now());
  if (errors.length > 0) throw unfit(errors);
}

const unfit = (errors: FieldError[]): Problem =>
  new Problem("validation_failed", "The schedule could not start the tool.", { errors });

/** "Saving validates", its params too. Before the transaction that keeps it: checking them may take its time. */
export async function requireSoundSchedule(
  scope: Scope,
  toolId: string,
  wish: ScheduleWish,
  compute: Compute,
): Promise<void> {
  const tool = await requireTool(scope.db, projectOf(scope), toolId);
  const errors = findTimingMistakes(wish, scope.now());
  const { definition } = await definitionFor(scope.db, tool);
  const read = await readParams(definition, wish.params, { compute, organizationId: tool.organizationId });
  if ("errors" in read) errors.push(...read.errors.map((each) => ({ ...each, pointer: `#/params${each.pointer}` })));
  if (errors.length > 0) throw unfit(errors);
}

export async function requireSchedule(scope: Scope, id: string): Promise<Schedule> {
  const schedule = await findSchedule(scope.db, projectOf(scope), id);
  if (!schedule) throw new Problem("schedule_not_found");
  return schedule;
}

const nextAtOf = (wish: ScheduleWish, now: Date): string | null =>
  wish.enabled ? (nextTimes(wish, now, 1)[0]?.toISOString() ?? null) : null;

export const listScheduleSizes = (
  db: Db,
  projectId: string,
  toolId: string | undefined,
  page: { after: string; limit: number },
): Promise<number[]> => listSizes(db, projectId, toolId, page);

export const listSchedules = (
  db: Db,
  projectId: string,
  toolId: string | undefined,
  page: { after: string; limit: number },
): Promise<Schedule[]> => listScheduleRows(db, projectId, toolId, page);

export async function deleteSchedule(scope: Scope, id: string): Promise<void> {
  if (!(await deleteScheduleRow(scope.db, projectOf(scope), id))) throw new Problem("schedule_not_found");
}

/** With its tool they go. Answers how many. */
export const deleteSchedulesOf = (db: Db, toolId: string): Promise<number> => deleteSchedulesOfTool(db, toolId);

/** Those that are due, for a look at them before they are taken. */
export const lookAtDueSchedules = (db: Db, now: Date, limit: number): Promise<Schedule[]> =>
  listDueSchedules(db, now.toISOString(), limit);
/** Locked until the transaction ends: of two nodes that look at once, each has others. */
export const takeDueSchedules = (db: Db, now: Date, ids: readonly string[]): Promise<Schedule[]> =>
  claimDueSchedules(db, now.toISOString(), ids);
export const keepSchedule = updateSchedule;
