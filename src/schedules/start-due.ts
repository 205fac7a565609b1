import type { AccessLoss } from "../access/callers/still-allowed.ts";
import type { Log } from "../kernel/log.ts";
import { mark } from "../kernel/loop-watch.ts";
import { Problem, shortErrors } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import { whyOwnerMayNot } from "../runs/queue/run-owner.ts";
import type { RunStart } from "../runs/start-run.ts";
import type { Db, Store } from "../store/db.ts";
import { readParams } from "../tools/params.ts";
import { definitionFor, requireTool } from "../tools/tools.ts";
import type { Compute } from "../untrusted/compute.ts";
import { keepSchedule, lookAtDueSchedules, type Schedule, takeDueSchedules } from "./schedules.ts";
import { nextTimes, timesToStart } from "./times.ts";

export interface ScheduleClockParts {
  store: Store;
  region: Region;
  compute: Compute;
  now: () => Date;
  /** Queues a run in the transaction, and answers its id. */
  queueRun(db: Db, start: RunStart): Promise<string>;
  /** Told once runs are queued for good. */
  wake(): void;
  log: Log;
}

const lookEveryMilliseconds = 5_000;
const atOnce = 20;
const patienceMilliseconds = 1_000;

/** Starts what is due, from its beginning for as long as the process runs, without keeping it alive. */
export interface ScheduleClock {
  begin(): void;
  stop(): Promise<void>;
}

export function createScheduleClock(parts: ScheduleClockParts): ScheduleClock {
  let underway: Promise<void> = Promise.resolve();
  let isLooking = false;
  let timer: NodeJS.Timeout | undefined;
  const pending: Pending = new Map();
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    await startDue(parts, pending).catch((error) => parts.log.warn({ err: error }, "schedules could not be started"));
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

/** What is being looked at since an earlier time, by schedule. */
type Pending = Map<string, { updatedAt: string; ready: Promise<Ready> }>;

/** Everything that is due now, each exactly once, however many nodes look. Answers the ids of the runs. */
export async function startDue(parts: ScheduleClockParts, pending: Pending = new Map()): Promise<string[]> {
  const { store, now } = parts;
  const started: string[] = [];
  for (;;) {
    const ready = await prepareSome(await lookAtDueSchedules(store, now(), atOnce), parts, pending);
    if (ready.size === 0) break;
    const { begun, runs } = await store.transaction(async (db) => {
      const taken = await takeDueSchedules(db, now(), [...ready.keys()]);
      const ids: string[] = [];
      for (const schedule of taken) ids.push(...(await startOne(db, schedule, ready.get(schedule.id) as Ready, parts)));
      return { begun: taken.length, runs: ids };
    });
    started.push(...runs);
    if (runs.length > 0) parts.wake();
    // Another node has the rest.
    if (begun === 0) break;
  }
  return started;
}

/** Those of them that can be started now. One whose params take long to check is left for a later look, and holds up nobody. */
async function prepareSome(due: Schedule[], parts: ScheduleClockParts, pending: Pending): Promise<Map<string, Ready>> {
  for (const id of pending.keys()) if (!due.some((schedule) => schedule.id === id)) pending.delete(id);
  const ready = new Map<string, Ready>();
  let isOver = false;
  const looking = due.map(async (schedule) => {
    const { id, updatedAt } = schedule;
    const earlier = pending.get(id);
    const found = earlier?.updatedAt === updatedAt ? earlier.ready : prepare(schedule, parts);
    pending.set(id, { updatedAt, ready: found });
    const each = await found.catch((error: unknown) => {
      pending.delete(id);
      throw error;
    });
    if (isOver) return;
    pending.delete(id);
    ready.set(id, each);
  });
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMilliseconds);
  });
  await Promise.race([Promise.all(looking), patience]).finally(() => {
    isOver = true;
    clearTimeout(timer);
  });
  return ready;
}

/** What a schedule would start, looked at before the transaction: checking params may wait for another process. */
type Ready = { work: RunStart["work"]; params: unknown } | { problem: NonNullable<Schedule["lastProblem"]> };

/** For the watch of the event loop. */
const markSchedule = ({ organizationId, projectId }: Schedule): void =>
  mark("a schedule", { operation: "schedule", organizationId, projectId });

/** With the tool as it is now; where that does not take these params any longer, the schedule says so. */
async function prepare(schedule: Schedule, { store, compute }: ScheduleClockParts): Promise<Ready> {
  const { projectId, organizationId } = schedule;
  try {
    markSchedule(schedule);
    const tool = await requireTool(store, projectId, schedule.toolId);
    markSchedule(schedule);
    const { definition, version } = await definitionFor(store, tool);
    markSchedule(schedule);
    const read = await readParams(definition, schedule.params, { compute, organizationId });
    markSchedule(schedule);
    if ("params" in read) return { work: { kind: "tool", id: tool.id, version, definition }, params: read.params };
    const said = shortErrors(read.errors).map((wrong) => `#/params${wrong.pointer}: ${wrong.detail}`);
    return { problem: { code: "invalid_params", detail: said.join(" ") } };
  } catch (error) {
    if (error instanceof Problem) return { problem: { code: error.code, detail: error.message } };
    throw error;
  }
}

/** Its runs and its next time are kept in one transaction: a crash leaves both or neither. */
async function startOne(db: Db, schedule: Schedule, ready: Ready, parts: ScheduleClockParts): Promise<string[]> {
  markSchedule(schedule);
  const now = parts.now();
  const times = timesToStart(schedule, schedule.misfire, new Date(schedule.nextAt ?? now), now);
  const next = nextTimes(schedule, now, 1)[0]?.toISOString() ?? null;
  const begun = times.length === 0 ? missed : await queueRuns(db, schedule, ready, times.length, parts);
  markSchedule(schedule);
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
const ownerGone: Readonly<Record<AccessLoss, NonNullable<Schedule["lastProblem"]>>> = {
  deactivated: { code: "owner_deactivated", detail: `The person it runs as was deactivated. ${takeOver}` },
  "not allowed": {
    code: "owner_not_allowed",
    detail: `The person it runs as is no longer an editor of the project. ${takeOver}`,
  },
};

async function queueRuns(
  db: Db,
  schedule: Schedule,
  ready: Ready,
  count: number,
  parts: ScheduleClockParts,
): Promise<Begun> {
  const { projectId, organizationId, runAs: startedBy } = schedule;
  const why = await whyOwnerMayNot(db, { startedBy, projectId });
  if (why) return { problem: ownerGone[why] };
  if ("problem" in ready) return ready;
  markSchedule(schedule);
  const start: RunStart = {
    region: parts.region,
    organizationId,
    projectId,
    work: ready.work,
    params: ready.params,
    source: { kind: "schedule", id: schedule.id },
    startedBy,
    keyId: null,
    now: parts.now(),
  };
  const runs: string[] = [];
  for (let i = 0; i < count; i++) runs.push(await parts.queueRun(db, start));
  return { runs };
}
