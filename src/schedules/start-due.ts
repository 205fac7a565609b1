import type { AccessLoss } from "../access/callers/still-allowed.ts";
import type { Log } from "../kernel/log.ts";
import { mark } from "../kernel/loop-watch.ts";
import { Problem, shortErrors } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import { findOwnerLoss } from "../runs/queue/run-owner.ts";
import { type RunStart, storeLargeParams } from "../runs/start-run.ts";
import type { Db, Store } from "../store/db.ts";
import { readParams } from "../tools/params.ts";
import { definitionFor, requireTool } from "../tools/tools.ts";
import type { Compute } from "../untrusted/compute.ts";
import { createClockWatch, moveNextTimesBack } from "./clock-set-back.ts";
import { nextTimes, timesToStart } from "./cron-times.ts";
import {
  claimDueSchedules,
  type DueSchedule,
  listDueIdsInTurn,
  listDueSchedules,
  readSchedules,
  type Schedule,
  updateLastStart,
} from "./schedules.store.ts";

export interface ScheduleClockParts {
  store: Store;
  region: Region;
  compute: Compute;
  now: () => Date;
  /** Queues a run in the transaction and returns its id. */
  queueRun(db: Db, start: RunStart): Promise<string>;
  /** Called once the queued runs are committed. */
  wake(): void;
  log: Log;
}

const pollMilliseconds = 5_000;
const batchSize = 20;
const listedMax = 1000;
const prepareMilliseconds = 1_000;

/** Starts due runs as long as the process runs, without keeping the process alive. */
export interface ScheduleClock {
  begin(): void;
  stop(): Promise<void>;
}

export function createScheduleClock(parts: ScheduleClockParts): ScheduleClock {
  let underway: Promise<void> = Promise.resolve();
  let isPolling = false;
  let timer: NodeJS.Timeout | undefined;
  const pending: Pending = new Map();
  const wasSetBack = createClockWatch(parts.now);
  // The clock may have been set back while no server ran.
  let mayBeAhead = true;
  const poll = async () => {
    if (isPolling) return;
    isPolling = true;
    if (wasSetBack()) mayBeAhead = true;
    try {
      if (mayBeAhead) await moveNextTimesBack(parts.store, parts.now(), parts.log);
      mayBeAhead = false;
      await startDue(parts, pending);
    } catch (error) {
      parts.log.warn({ err: error }, "schedules could not be started");
    }
    isPolling = false;
  };
  const pollNext = () => {
    underway = poll();
  };
  return {
    begin() {
      timer = setInterval(pollNext, pollMilliseconds).unref();
      pollNext();
    },
    async stop() {
      clearInterval(timer);
      await underway;
    },
  };
}

/** Checks that began in an earlier poll, by schedule. */
type Pending = Map<string, { updatedAt: string; ready: Promise<PreparedStart> }>;

/** Starts everything that is due, each exactly once, however many nodes poll. Returns the ids of the runs. */
export async function startDue(parts: ScheduleClockParts, pending: Pending = new Map()): Promise<string[]> {
  const started: string[] = [];
  for (;;) {
    const { begun, runs } = await startSome(await listDue(parts), parts, pending);
    started.push(...runs);
    // Nothing is due, or another node has the rest.
    if (begun === 0) return started;
  }
}

/** In the order in which they are to start. */
async function listDue({ store, now }: ScheduleClockParts): Promise<string[]> {
  const at = now().toISOString();
  const first = await listDueSchedules(store, at, batchSize + 1);
  return first.length <= batchSize ? first.map(({ id }) => id) : listDueIdsInTurn(store, at, listedMax);
}

async function startSome(
  due: readonly string[],
  parts: ScheduleClockParts,
  pending: Pending,
): Promise<{ begun: number; runs: string[] }> {
  const { store, now } = parts;
  const all = { begun: 0, runs: [] as string[] };
  for (const id of pending.keys()) if (!due.includes(id)) pending.delete(id);
  for (let from = 0; from < due.length; from += batchSize) {
    const ids = due.slice(from, from + batchSize);
    const ready = await prepareSome(await readSchedules(store, ids), parts, pending);
    if (ready.size === 0) break;
    const { begun, runs } = await store.transaction(async (db) => {
      const taken = await claimDueSchedules(db, now().toISOString(), [...ready.keys()]);
      const started: string[] = [];
      for (const schedule of taken)
        started.push(...(await startOne(db, schedule, ready.get(schedule.id) as PreparedStart, parts)));
      return { begun: taken.length, runs: started };
    });
    all.begun += begun;
    all.runs.push(...runs);
    if (runs.length > 0) parts.wake();
    if (begun === 0) break;
  }
  return all;
}

/**
 * Prepares the schedules that can be started now. One whose params take long to check is left for a later poll, and
 * delays no other.
 */
async function prepareSome(
  due: Schedule[],
  parts: ScheduleClockParts,
  pending: Pending,
): Promise<Map<string, PreparedStart>> {
  const ready = new Map<string, PreparedStart>();
  let isOver = false;
  const preparing = due.map(async (schedule) => {
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
    timer = setTimeout(resolve, prepareMilliseconds);
  });
  await Promise.race([Promise.all(preparing), patience]).finally(() => {
    isOver = true;
    clearTimeout(timer);
  });
  return ready;
}

/** What a schedule would start, prepared before the transaction: checking params may wait for another process. */
type PreparedStart = { work: RunStart["work"]; params: unknown } | { problem: NonNullable<Schedule["lastProblem"]> };

/** For the watch of the event loop. */
const markSchedule = ({ organizationId, projectId }: DueSchedule): void =>
  mark("a schedule", { operation: "schedule", organizationId, projectId });

/** Uses the tool as it is now. If the tool no longer accepts the params, the schedule says so. */
async function prepare(schedule: Schedule, { store, compute, now }: ScheduleClockParts): Promise<PreparedStart> {
  const { projectId, organizationId } = schedule;
  try {
    markSchedule(schedule);
    const tool = await requireTool(store, projectId, schedule.toolId);
    markSchedule(schedule);
    const { definition, version } = await definitionFor(store, tool);
    markSchedule(schedule);
    const read = await readParams(definition, schedule.params, { compute, organizationId });
    markSchedule(schedule);
    if ("params" in read) {
      await storeLargeParams(store, read.params, now(), dueTimes(schedule, now()).length);
      return { work: { kind: "tool", id: tool.id, version, definition }, params: read.params };
    }
    const said = shortErrors(read.errors).map((wrong) => `#/params${wrong.pointer}: ${wrong.detail}`);
    return { problem: { code: "invalid_params", detail: said.join(" ") } };
  } catch (error) {
    if (error instanceof Problem) return { problem: { code: error.code, detail: error.message } };
    throw error;
  }
}

const dueTimes = (schedule: DueSchedule, now: Date): Date[] =>
  timesToStart(schedule, schedule.misfire, new Date(schedule.nextAt ?? now), now);

/** Writes the runs and the next time in one transaction: a crash leaves both or neither. */
async function startOne(
  db: Db,
  schedule: DueSchedule,
  ready: PreparedStart,
  parts: ScheduleClockParts,
): Promise<string[]> {
  markSchedule(schedule);
  const now = parts.now();
  const times = dueTimes(schedule, now);
  const next = nextTimes(schedule, now, 1)[0]?.toISOString() ?? null;
  const begun = times.length === 0 ? missed : await queueRuns(db, schedule, ready, times.length, parts);
  markSchedule(schedule);
  const last = "runs" in begun ? begun.runs.at(-1) : undefined;
  await updateLastStart(db, {
    ...schedule,
    nextAt: next,
    ...(last === undefined ? {} : { lastAt: now.toISOString(), lastRunId: last }),
    lastProblem: "problem" in begun ? begun.problem : null,
  });
  return "runs" in begun ? begun.runs : [];
}

type StartResult = { runs: string[] } | { problem: NonNullable<Schedule["lastProblem"]> };

const missed: StartResult = {
  problem: { code: "missed", detail: "Nothing could be started in time, and missed times are skipped." },
};

const takeOver = "Nothing is started until a person who may run tools changes the schedule, and so takes it over.";
const ownerProblems: Readonly<Record<AccessLoss, NonNullable<Schedule["lastProblem"]>>> = {
  deactivated: { code: "owner_deactivated", detail: `The person it runs as was deactivated. ${takeOver}` },
  "not allowed": {
    code: "owner_not_allowed",
    detail: `The person it runs as is no longer an editor of the project. ${takeOver}`,
  },
};

async function queueRuns(
  db: Db,
  schedule: DueSchedule,
  ready: PreparedStart,
  count: number,
  parts: ScheduleClockParts,
): Promise<StartResult> {
  const { projectId, organizationId, runAs: startedBy } = schedule;
  const why = await findOwnerLoss(db, { startedBy, projectId });
  if (why) return { problem: ownerProblems[why] };
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
