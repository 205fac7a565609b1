import { projectOf, type Scope } from "../access/scope.ts";
import { newId } from "../kernel/ids.ts";
import { type FieldError, Problem } from "../kernel/problem.ts";
import { timeOfChange } from "../kernel/times.ts";
import { readParams } from "../tools/params.ts";
import { definitionFor, requireTool } from "../tools/tools.ts";
import type { Compute } from "../untrusted/compute.ts";
import { findTimingMistakes, isTimeZone, type Misfire, nextTimes, type Timing } from "./cron-times.ts";
import {
  deleteSchedule as deleteScheduleRow,
  findSchedule,
  insertSchedule,
  lockSchedule,
  replaceParams,
  type Schedule,
  type StoredSchedule,
  updateSchedule,
} from "./schedules.store.ts";

export {
  deleteSchedulesOfTool,
  listScheduleSizes,
  listSchedules,
  type Schedule,
  type ScheduleProblem,
  withParams,
} from "./schedules.store.ts";

export interface ScheduleWish {
  cron: string;
  timeZone: string;
  misfire: Misfire;
  params: unknown;
  enabled: boolean;
}

/** None in a time zone that this process does not know: its `lastProblem` says that it cannot start. */
export const nextRunsOf = (schedule: Schedule, now: Date, count: number): string[] =>
  schedule.enabled && isTimeZone(schedule.timeZone)
    ? nextTimes(schedule, now, count).map((time) => time.toISOString())
    : [];

/** Call `requireSoundSchedule` and `storeLargeParams` first. */
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

/** The same first. Counts from the time of the change: times that were missed while it was disabled are not caught up on. */
export async function changeSchedule(
  scope: Scope,
  id: string,
  changed: Partial<ScheduleWish>,
  ifUpdatedAt: string | undefined,
): Promise<StoredSchedule> {
  const schedule = await lockSchedule(scope.db, projectOf(scope), id);
  if (!schedule) throw new Problem("schedule_not_found");
  if (ifUpdatedAt !== undefined && ifUpdatedAt !== schedule.updatedAt) throw new Problem("schedule_changed");
  const now = scope.now();
  const { params, ...others } = changed;
  const wanted = { ...schedule, ...others };
  requireTimes(scope, wanted);
  const kept: StoredSchedule = {
    ...wanted,
    nextAt: nextAtOf(wanted, now),
    lastProblem: null,
    // The person who changes a schedule becomes its owner, so the schedules of a person who left can be taken over.
    runAs: scope.actor.userId,
    updatedAt: timeOfChange(schedule.updatedAt, now),
  };
  await updateSchedule(scope.db, kept);
  return params === undefined ? kept : { ...kept, params: await replaceParams(scope.db, schedule, params) };
}

function requireTimes(scope: Scope, wish: Timing): void {
  const errors = findTimingMistakes(wish, scope.now());
  if (errors.length > 0) throw unfit(errors);
}

const unfit = (errors: FieldError[]): Problem =>
  new Problem("validation_failed", "The schedule could not start the tool.", { errors });

/**
 * "Saving validates", its params too. Called before the transaction that saves it, because checking them may take long.
 */
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

const nextAtOf = (wish: Timing & Pick<ScheduleWish, "enabled">, now: Date): string | null =>
  wish.enabled ? (nextTimes(wish, now, 1)[0]?.toISOString() ?? null) : null;

export async function deleteSchedule(scope: Scope, id: string): Promise<void> {
  if (!(await deleteScheduleRow(scope.db, projectOf(scope), id))) throw new Problem("schedule_not_found");
}
