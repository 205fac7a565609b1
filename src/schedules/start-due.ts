import type { AccessLoss } from "../access/callers/still-allowed.ts";
import type { Region } from "../kernel/regions.ts";
import { findOwnerLoss } from "../runs/queue/run-owner.ts";
import type { RunStart } from "../runs/queue/start-run.ts";
import { type Db, StoreUnavailable } from "../store/db.ts";
import { createClockWatch, moveNextTimesBack } from "./clock-set-back.ts";
import { nextTimes } from "./cron-times.ts";
import { claimDueSchedules, listDueIds, listDueIdsInTurn, updateLastStart } from "./due-schedules.store.ts";
import {
  dueTimes,
  markSchedule,
  type Pending,
  type PreparedStart,
  type PreparedStarts,
  type PrepareParts,
  prepareStarts,
} from "./prepare-starts.ts";
import { reportFailure } from "./report-failure.ts";
import type { DueSchedule, Schedule } from "./schedules.store.ts";

export interface ScheduleClockParts extends PrepareParts {
  region: Region;
  /** Queues a run in the transaction and returns its id. */
  queueRun(db: Db, start: RunStart): Promise<string>;
  /** Called once the queued runs are committed. */
  wake(): void;
}

const pollMilliseconds = 5_000;
const batchSize = 20;
const listedMax = 1000;

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

/** Starts everything that is due, each exactly once, however many nodes poll. Returns the ids of the runs. */
export async function startDue(parts: ScheduleClockParts, pending: Pending = new Map()): Promise<string[]> {
  const started: string[] = [];
  /** They stay due, and are tried again at the next poll. */
  const failed = new Set<string>();
  for (;;) {
    const failedBefore = failed.size;
    const { begun, runs } = await startSome(await listDue(parts, failed), parts, pending, failed);
    started.push(...runs);
    // Nothing else is due, or another node has the rest.
    if (begun === 0 && failed.size === failedBefore) return started;
  }
}

/** In the order in which they are to start. Those that failed take no room in the list, however many there are. */
async function listDue({ store, now }: ScheduleClockParts, failed: ReadonlySet<string>): Promise<string[]> {
  const at = now().toISOString();
  const fewMax = batchSize + failed.size;
  const first = await listDueIds(store, at, fewMax + 1);
  const ids = first.length <= fewMax ? first : await listDueIdsInTurn(store, at, listedMax + failed.size);
  return ids.filter((id) => !failed.has(id));
}

interface Started {
  /** How many schedules this node has claimed. */
  begun: number;
  runs: string[];
}

async function startSome(
  due: readonly string[],
  parts: ScheduleClockParts,
  pending: Pending,
  failed: Set<string>,
): Promise<Started> {
  const all: Started = { begun: 0, runs: [] };
  for (const id of pending.keys()) if (!due.includes(id)) pending.delete(id);
  for (let from = 0; from < due.length; from += batchSize) {
    const prepared = await prepareStarts(due.slice(from, from + batchSize), parts, pending);
    const { begun, runs } = await startBatch(prepared, parts);
    all.begun += begun;
    all.runs.push(...runs);
    if (runs.length > 0) parts.wake();
    for (const [id, error] of prepared.failures) {
      failed.add(id);
      await reportFailure(id, error, parts);
    }
    // All of them take long, or another node has them.
    if (begun === 0 && prepared.failures.size === 0) break;
  }
  return all;
}

/** If one cannot be started, the others still are. Adds those that cannot to the failures. */
async function startBatch({ ready, failures }: PreparedStarts, parts: ScheduleClockParts): Promise<Started> {
  const all: Started = { begun: 0, runs: [] };
  if (ready.size === 0) return all;
  try {
    return await startTogether(ready, parts);
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    const [id, ...others] = ready.keys();
    if (id !== undefined && others.length === 0) {
      // The caller logs it.
      failures.set(id, error);
      return all;
    }
  }
  for (const each of ready) {
    const { begun, runs } = await startBatch({ ready: new Map([each]), failures }, parts);
    all.begun += begun;
    all.runs.push(...runs);
  }
  return all;
}

const startTogether = (ready: PreparedStarts["ready"], parts: ScheduleClockParts): Promise<Started> =>
  parts.store.transaction(async (db) => {
    const taken = await claimDueSchedules(db, parts.now().toISOString(), [...ready.keys()]);
    const runs: string[] = [];
    for (const schedule of taken)
      runs.push(...(await startOne(db, schedule, ready.get(schedule.id) as PreparedStart, parts)));
    return { begun: taken.length, runs };
  });

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
