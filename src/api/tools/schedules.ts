import * as z from "zod";
import { projectOf, type Scope } from "../../access/scope.ts";
import { externalOperation, operation } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import { anyObject } from "../../kernel/any-object.ts";
import { WrittenJson } from "../../kernel/strict-json.ts";
import { giveWay } from "../../kernel/work-in-slices.ts";
import { isLarge, writeInSlices } from "../../kernel/write-in-slices.ts";
import { storeLargeParams } from "../../runs/queue/start-run.ts";
import { type RunStatus, readRunStatuses } from "../../runs/runs.ts";
import { misfirePolicies } from "../../schedules/cron-times.ts";
import {
  changeSchedule,
  createSchedule,
  deleteSchedule,
  listScheduleSizes,
  listSchedules,
  nextRunsOf,
  requireSchedule,
  requireSoundSchedule,
  type Schedule,
  type ScheduleWish,
  withParams,
} from "../../schedules/schedules.ts";
import { rowsThatFit } from "../../store/page-rows.ts";
import { findTool } from "../../tools/tools.ts";
import { redactAnySize } from "../../transport/redact-in-slices.ts";
import { idField, ifUpdatedAtField, timeField } from "../shared-fields.ts";
import { runStatus } from "../steps/step-response.ts";
import { toolId } from "./tool-response.ts";

const scheduleId = idField.meta({ description: "The schedule, from `schedules/list`" });
const cron = z
  .string()
  .max(100)
  .meta({ description: "Minute, hour, day, month, weekday: `0 9 * * 1-5`; or `@daily` and the like" });
const timeZone = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: "From the IANA list: `Europe/Berlin`. Daylight saving time is taken into account" });
const misfire = z.enum(misfirePolicies).meta({
  description: "What to do about missed times: `skip` them, run `once` for all of them, or run `all` of the last ten",
});
const params = anyObject().meta({ description: "What the tool is started with" });
const enabled = z.boolean();

const nextRunsShown = 5;

const scheduleRecord = z.object({
  schedule_id: z.string().meta({ description: "Names the schedule" }),
  tool_id: z.string().meta({ description: "The tool that it starts" }),
  cron,
  time_zone: timeZone,
  misfire,
  params,
  enabled,
  next_runs: z.array(timeField).meta({ description: "The next five times; none while it is off" }),
  last_run_id: z.string().nullable().meta({ description: "The last run that it started; null before the first" }),
  last_run_at: timeField.nullable().meta({ description: "When that was" }),
  last_run_status: runStatus.nullable().meta({ description: "How that run stands now; null before the first" }),
  last_problem: z
    .object({ code: z.string(), detail: z.string() })
    .nullable()
    .meta({ description: "Why the last time started nothing; null if it did" }),
  run_as: z
    .string()
    .meta({ description: "The account on whose behalf it starts runs: the person who created it or last changed it" }),
  created_by: z.string(),
  created_at: timeField,
  updated_at: timeField,
});
z.globalRegistry.add(scheduleRecord, { id: "Schedule" });

const toRecord = async (
  scope: Scope,
  statuses: ReadonlyMap<string, RunStatus>,
  schedule: Schedule,
): Promise<z.input<typeof scheduleRecord>> => ({
  schedule_id: schedule.id,
  tool_id: schedule.toolId,
  cron: schedule.cron,
  time_zone: schedule.timeZone,
  misfire: schedule.misfire,
  params: (await redactAnySize(schedule.params)) as Record<string, unknown>,
  enabled: schedule.enabled,
  next_runs: nextRunsOf(schedule, scope.now(), nextRunsShown),
  last_run_id: schedule.lastRunId,
  last_run_at: schedule.lastAt,
  last_run_status: statuses.get(schedule.lastRunId ?? "") ?? null,
  last_problem: schedule.lastProblem,
  run_as: schedule.runAs,
  created_by: schedule.createdBy,
  created_at: schedule.createdAt,
  updated_at: schedule.updatedAt,
});

const statusesOf = (scope: Scope, schedules: readonly Schedule[]): Promise<Map<string, RunStatus>> =>
  readRunStatuses(
    scope.db,
    projectOf(scope),
    schedules.flatMap(({ lastRunId }) => lastRunId ?? []),
  );

/** Its params may have megabytes, so this is no work for a transaction. */
const recordOf = async (scope: Scope, schedule: Schedule) =>
  toRecord(scope, await statusesOf(scope, [schedule]), schedule);

export const scheduleOperations = [
  externalOperation({
    path: "/latest/schedules/create",
    area: "schedules",
    summary: "Create a schedule that starts a tool",
    description:
      "Each time starts one run, however many nodes there are. The run uses the version that is published at that time, or the draft if there is none.",
    needs: "project editor",
    audit: "schedule.created",
    refuses: ["tool_not_found", "compute_exhausted"],
    input: z.object({
      tool_id: toolId,
      cron,
      time_zone: timeZone.default("UTC"),
      misfire: misfire.default("skip"),
      params: params.default({}),
      enabled: enabled.default(true),
    }),
    output: scheduleRecord,
    example: { tool_id: "tol_us_…", cron: "0 9 * * 1-5", time_zone: "Europe/Berlin", params: { branch: "main" } },
    async run(scope, input, { compute }) {
      const wish = wishOf({ ...input, timeZone: input.time_zone });
      await requireSoundSchedule(scope, input.tool_id, wish, compute);
      await storeLargeParams(scope.db, wish.params, scope.now());
      const created = await scope.change(async (inside) => {
        const schedule = await createSchedule(inside, input.tool_id, wish);
        const details = { tool_id: input.tool_id, cron: input.cron, time_zone: input.time_zone };
        return { value: schedule, target: schedule.id, details, reference: schedule.id };
      });
      return recordOf(scope, created);
    },
    answerAgain: async (scope, reference) => recordOf(scope, await requireSchedule(scope, reference)),
  }),
  operation({
    path: "/latest/schedules/list",
    area: "schedules",
    summary: "List the project's schedules, with their next times",
    needs: "project viewer",
    audit: null,
    refuses: [],
    input: z.object({ ...pageInput, tool_id: toolId.optional() }),
    output: pageOutput(scheduleRecord),
    example: {},
    async run(scope, input) {
      const projectId = projectOf(scope);
      // The schedules of a tool are found by its id alone, and all of them would be read for a project that is not theirs.
      if (input.tool_id !== undefined && !(await findTool(scope.db, projectId, input.tool_id)))
        return { results: [], next: null };
      const sizes = await listScheduleSizes(scope.db, projectId, input.tool_id, onePageOf(input));
      const limit = rowsThatFit(sizes, input.limit);
      const rows = await listSchedules(scope.db, projectId, input.tool_id, onePageOf({ ...input, limit }));
      const statuses = await statusesOf(scope, rows);
      const records = [];
      // The next times of a hundred schedules take up to 100 ms.
      const turn = giveWay();
      for (const row of rows) {
        records.push(await toRecord(scope, statuses, row));
        await turn();
      }
      const page = toPage(
        records,
        limit,
        ({ schedule_id }) => schedule_id,
        (record) => record,
      );
      return isLarge(page) ? new WrittenJson(await writeInSlices(page)) : page;
    },
  }),
  externalOperation({
    path: "/latest/schedules/{schedule_id}/update",
    area: "schedules",
    summary: "Change a schedule, or turn it on or off",
    description: "Members that are left out stay as they are. Times that passed while it was off are not caught up.",
    needs: "project editor",
    audit: "schedule.updated",
    refuses: ["schedule_not_found", "schedule_changed", "tool_not_found", "compute_exhausted"],
    input: z.object({
      schedule_id: scheduleId,
      if_updated_at: ifUpdatedAtField,
      cron: cron.optional(),
      time_zone: timeZone.optional(),
      misfire: misfire.optional(),
      params: params.optional(),
      enabled: enabled.optional(),
    }),
    output: scheduleRecord,
    example: { schedule_id: "sch_us_…", enabled: false },
    async run(scope, { schedule_id: id, if_updated_at: ifUpdatedAt, ...changed }, { compute }) {
      const { time_zone, ...rest } = changed;
      const wanted = { ...rest, timeZone: time_zone };
      const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
      const before = await requireSchedule(scope, id);
      await requireSoundSchedule(scope, before.toolId, { ...before, ...given }, compute);
      await storeLargeParams(scope.db, given.params, scope.now());
      const kept = await scope.change(async (inside) => {
        const schedule = await changeSchedule(inside, id, given, ifUpdatedAt);
        return { value: schedule, target: id, details: { changed: Object.keys(changed) }, reference: id };
      });
      return recordOf(scope, await withParams(scope.db, kept));
    },
    answerAgain: async (scope, reference) => recordOf(scope, await requireSchedule(scope, reference)),
  }),
  operation({
    path: "/latest/schedules/{schedule_id}/delete",
    area: "schedules",
    summary: "Delete a schedule",
    description: "Runs that it started continue.",
    needs: "project editor",
    audit: "schedule.deleted",
    refuses: ["schedule_not_found"],
    input: z.object({ schedule_id: scheduleId }),
    output: z.object({ schedule_id: z.string().meta({ description: "The schedule" }), deleted: z.literal(true) }),
    example: { schedule_id: "sch_us_…" },
    async run(scope, input) {
      await deleteSchedule(scope, input.schedule_id);
      return { schedule_id: input.schedule_id, deleted: true as const };
    },
    auditOf: (input) => ({ target: input.schedule_id }),
  }),
];

const wishOf = ({ cron, timeZone, misfire, params, enabled }: ScheduleWish): ScheduleWish => ({
  cron,
  timeZone,
  misfire,
  params,
  enabled,
});
