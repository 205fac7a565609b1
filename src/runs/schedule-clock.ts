import type { NoLonger } from "../access/still-allowed.ts";
import type { Log } from "../kernel/log.ts";
import { Problem } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import type { Db, Store } from "../store/db.ts";
import { whyOwnerMayNot } from "./run-owner.ts";
import { nextTimes, timesToStart } from "./schedule-times.ts";
import { hasDueSchedules, keepSchedule, type Schedule, takeDueSchedules } from "./schedules.ts";
import type { RunStart } from "./start-run.ts";
import { readParams } from "./tool-params.ts";
import { definitionFor, requireTool } from "./tools.ts";

export interface ScheduleClockParts {
  store: Store;
  region: Region;
  now: () => Date;
  /** Queues a run in the transaction, and answers its id. */
  queueRun(db: Db, start: RunStart): Promise<string>;
  /** Told once runs are queued for good. */
  wake(): void;
  log: Log;
}

const lookEveryMilliseconds = 5_000;
const atOnce = 20;

/** Starts what is due, from its beginning for as long as the process runs, without keeping it alive. */
export interface ScheduleClock {
  begin(): void;
  stop(): Promise<void>;
}

export function createScheduleClock(parts: ScheduleClockParts): ScheduleClock {
  let underway: Promise<void> = Promise.resolve();
  let isLooking = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    await startDue(parts).catch((error) => parts.log.warn({ err: error }, "schedules could not be started"));
    isLooking = false;
  };
  const lookNext = () => {
    underway = look();
  };
  return {
    begin() {
      timer = setInterval(lookNext, lookEveryMilliseconds).unref();
      lookNext();
    },
    async stop() {
      clearInterval(timer);
      await underway;
    },
  };
}

/** Everything that is due now, each exactly once, however many nodes look. Answers the ids of the runs. */
export async function startDue(parts: ScheduleClockParts): Promise<string[]> {
  const { store, now } = parts;
  const started: string[] = [];
  while (await hasDueSchedules(store, now())) {
    const { taken, runs } = await store.transaction(async (db) => {
      const due = await takeDueSchedules(db, now(), atOnce);
      const ids: string[] = [];
      for (const schedule of due) ids.push(...(await startOne(db, schedule, parts)));
      return { taken: due.length, runs: ids };
    });
    started.push(...runs);
    if (runs.length > 0) parts.wake();
    // Another node has the rest.
    if (taken === 0) break;
  }
  return started;
}

/** Its runs and its next time are kept in one transaction: a crash leaves both or neither. */
async function startOne(db: Db, schedule: Schedule, parts: ScheduleClockParts): Promise<string[]> {
  const now = parts.now();
  const times = timesToStart(schedule, schedule.misfire, new Date(schedule.nextAt ?? now), now);
  const next = nextTimes(schedule, now, 1)[0]?.toISOString() ?? null;
  const begun = times.length === 0 ? missed : await queueRuns(db, schedule, times.length, parts);
  const last = "runs" in begun ? begun.runs.at(-1) : undefined;
  await keepSchedule(db, {
    ...schedule,
    nextAt: next,
    ...(last === undefined ? {} : { lastAt: now.toISOString(), lastRunId: last }),
    lastProblem: "problem" in begun ? begun.problem : null,
  });
  return "runs" in begun ? begun.runs : [];
}

type Begun = { runs: string[] } | { problem: NonNullable<Schedule["lastProblem"]> };

const missed: Begun = {
  problem: { code: "missed", detail: "Nothing could be started in time, and missed times are skipped." },
};

const takeOver = "Nothing is started until somebody who may run tools changes the schedule, and so takes it over.";
const ownerGone: Readonly<Record<NoLonger, NonNullable<Schedule["lastProblem"]>>> = {
  deactivated: { code: "owner_deactivated", detail: `The person it runs as was deactivated. ${takeOver}` },
  "not allowed": {
    code: "owner_not_allowed",
    detail: `The person it runs as is no longer an editor of the project. ${takeOver}`,
  },
};

/** With the tool as it is now; where that does not take these params any longer, the schedule says so. */
async function queueRuns(db: Db, schedule: Schedule, count: number, parts: ScheduleClockParts): Promise<Begun> {
  const { projectId, organizationId, runAs: startedBy } = schedule;
  const why = await whyOwnerMayNot(db, { startedBy, projectId });
  if (why) return { problem: ownerGone[why] };
  try {
    const tool = await requireTool(db, projectId, schedule.toolId);
    const { definition, version } = await definitionFor(db, tool);
    const read = readParams(definition, schedule.params);
    if ("errors" in read) {
      const detail = read.errors.map((wrong) => `#/params${wrong.pointer}: ${wrong.detail}`).join(" ");
      return { problem: { code: "invalid_params", detail } };
    }
    const start: RunStart = {
      region: parts.region,
      organizationId,
      projectId,
      tool: { id: tool.id, version, definition },
      params: read.params,
      source: { kind: "schedule", id: schedule.id },
      startedBy,
      keyId: null,
      now: parts.now(),
    };
    const runs: string[] = [];
    for (let i = 0; i < count; i++) runs.push(await parts.queueRun(db, start));
    return { runs };
  } catch (error) {
    if (error instanceof Problem) return { problem: { code: error.code, detail: error.message } };
    throw error;
  }
}
