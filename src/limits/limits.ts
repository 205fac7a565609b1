import type { Log } from "../kernel/log.ts";
import { randomBase62 } from "../kernel/random.ts";
import type { Db, Store } from "../store/db.ts";
import type { Demand } from "../systems/define.ts";
import { type LimitClock, systemClock } from "./clock.ts";
import { forgetOldStates, listSubjects } from "./forget-old-states.ts";
import { createHeartbeat, heartbeatMilliseconds } from "./heartbeat.ts";
import { deleteSamplesBefore, listSamples, saveSamples } from "./history.store.ts";
import { historiesOf, keptHours, type LimitHistory, type Sample, stepOf } from "./history.ts";
import {
  deleteHeartbeat,
  deleteStates,
  emptyStates,
  listStates,
  listUsers,
  listUses,
  putHeartbeat,
  type RowTime,
  readLow,
  readStates,
  readWaiting,
  saveWaiting,
  type Use,
  updateStates,
} from "./limits.store.ts";
import { createLimitList, type LimitOfConnection } from "./list-limits.ts";
import { createNewUses } from "./new-uses.ts";
import { createPermit, type Permit, readySeconds } from "./permit.ts";
import { createAdmissionQueues } from "./queue-registry.ts";
import { releaseOfDeadProcesses } from "./release.ts";
import { createReportedLimits, type ReportedLimits } from "./reported-limits.ts";
import { reservedOf } from "./reservations.ts";
import type { Caller, Round, Sending, States } from "./round.ts";
import { isPartOf, isSharedByAll, type KeyedDemand, keyedDemands, originIn } from "./row-keys.ts";
import { createHistorySampler } from "./sample-history.ts";
import { createSharedWaiters, shownMilliseconds } from "./shared-waiters.ts";
import type { LimitState, Viewer } from "./shown-limits.ts";
import { createWatch } from "./watch-low-limits.ts";

export { releaseAllReservations } from "./release.ts";
export type { Caller, LimitOfConnection, LimitState, Permit, Viewer };

/** The limits of the external systems, separate for each organization, shared by all nodes through the store. */
export interface Limits {
  /** Waits for its turn until all demands fit, or throws StepFailed(rate_limited | quota_exhausted) with the time to retry. */
  admit(demands: readonly Demand[], caller: Caller, waitUntil: Date, sending?: Partial<Sending>): Promise<Permit>;
  /** The current state of these limits, as one project may see it. */
  states(demands: readonly Demand[], viewer: Viewer): Promise<LimitState[]>;
  /** Every limit that connections of the project have used. */
  ofProject(viewer: Viewer): Promise<LimitOfConnection[]>;
  /** How much of each of these limits was used in the last hours, in their order. */
  history(shown: readonly LimitState[], viewer: Viewer, hours: number): Promise<LimitHistory[]>;
  /** How many calls of this process wait for a limit now. */
  waitingCalls(): number;
  /** Deletes limits that were unused for a month. Returns how many. */
  forgetOld(): Promise<number>;
  /** The system at this origin was reset: its counts and reports no longer hold. */
  forget(origin: string): Promise<void>;
  close(): Promise<void>;
}

export interface LimitsOptions {
  store: Store;
  clock?: LimitClock;
  /** Whose clock the times in the rows follow. */
  time?: RowTime;
  /** The longest time from sending to the answer, for calls that do not say it themselves. */
  callSeconds?: number;
  /** Called in the transaction that finds a limit exhausted for more than a minute, once until its reset. */
  onExhausted?(db: Db, exhausted: ExhaustedLimit): Promise<void>;
  /** Whether this process samples what its calls use. */
  isHistoryKept?: boolean;
  log?: Log;
}

export interface ExhaustedLimit {
  name: string;
  resetsAt: Date;
  users: { projectId: string; connectionId: string }[];
}

export function createLimits(options: LimitsOptions): Limits {
  const { store, clock = systemClock, callSeconds = 60, log } = options;
  const time = options.time ?? (store.kind === "postgres" ? "database" : "own");
  const rows = { store, clock, time };
  const process = randomBase62(8);
  const reported = createReportedLimits();
  const newUses = createNewUses(clock);
  const failed = (what: string) => (error: unknown) => log?.warn({ err: error }, `${what} failed, will be tried again`);

  const queues = createAdmissionQueues({
    process,
    clock,
    reported,
    readyMilliseconds: readySeconds * 1000,
    round: runRound,
    onWaiting() {
      sharedWaiters.notice();
      heartbeat.notice();
    },
  });

  const sharedWaiters = createSharedWaiters({
    clock,
    waiting() {
      const bySubject = Map.groupBy(queues.waiting(), ({ subject }) => subject);
      return new Map([...bySubject].map(([subject, here]) => [subject, here.map(({ waiting }) => waiting)]));
    },
    save: (bySubject, now) =>
      saveWaiting(store, process, bySubject, { now: isoOf(now), until: isoOf(now + shownMilliseconds) }),
  });

  const putOwnHeartbeat = (db: Db): Promise<void> => putHeartbeat(db, rows, process, heartbeatMilliseconds);

  const heartbeat = createHeartbeat({
    clock,
    isWaiting: queues.areBusy,
    beat: () => store.transaction(putOwnHeartbeat),
    leave: () => deleteHeartbeat(store, process),
    releaseDead: () => releaseOfDeadProcesses(rows),
    failed: failed("the limiter's heartbeat"),
  });

  const watch = createWatch(
    clock,
    async () => {
      const { states, now } = await readLow(store, time, clock);
      learnFrom(reported, states, now.wall - clock.wall(), clock.wall());
    },
    failed("reading limits that are nearly used up"),
  );

  const sampler = createHistorySampler(clock, sampleHistory, failed("sampling the limits"));
  const noticeUse = options.isHistoryKept ? sampler.notice : () => {};

  async function sampleHistory(subjects: readonly string[]): Promise<void> {
    const measured = await list.ofRows(subjects);
    const samples = measured.map(({ subject, name, now, used, max, resets_at: resetsAt }) => {
      const count = Math.round(used);
      return { subject, name, at: isoOf(stepOf(now)), peak: count, used: count, max, resetsAt };
    });
    const newest = measured[0]?.now;
    if (newest === undefined) return;
    await store.transaction(async (db) => {
      await saveSamples(db, samples);
      await deleteSamplesBefore(db, isoOf(stepOf(newest) - keptHours * 3_600_000));
    });
  }

  /** One transaction over the rows of these subjects. */
  async function runRound(subjects: readonly string[], decide: (states: States, now: number) => Round): Promise<Round> {
    for (const subject of subjects) noticeUse(subject);
    let uses: Use[] = [];
    let seen: { states: States; shift: number } | undefined;
    const round = await updateStates(rows, subjects, ({ states, now }) => {
      seen = { states, shift: now.wall - clock.wall() };
      const result = decide(states, now.wall);
      uses = newUses.of(result);
      return { result, changed: result.changed, uses, inside: insideOf(result) };
    });
    newUses.written(uses);
    if (seen) learnFrom(reported, seen.states, seen.shift, clock.wall());
    return round;
  }

  function insideOf({ admitted, exhausted }: Round): ((db: Db) => Promise<void>) | undefined {
    const { onExhausted } = options;
    // No reservation is durable without a heartbeat: a process that dies right after its first admission would hold it for the whole
    // time that its call may take.
    const isFirst = admitted.length > 0 && !heartbeat.isKnown();
    if (!isFirst && (exhausted.length === 0 || !onExhausted)) return undefined;
    return async (db) => {
      if (isFirst) await putOwnHeartbeat(db);
      if (!onExhausted) return;
      for (const { subject, name, until } of exhausted) {
        const users = await usersOf(db, reported, subject, name);
        await onExhausted(db, { name, resetsAt: new Date(until), users });
      }
    };
  }

  async function admit(
    asked: readonly Demand[],
    caller: Caller,
    waitUntil: Date,
    { milliseconds = callSeconds * 1000, isAnnounced = false, comesBack = false }: Partial<Sending> = {},
  ): Promise<Permit> {
    const waitedSince = clock.steady();
    const now = clock.wall();
    const sending = { milliseconds, isAnnounced, comesBack };
    const demands = keyedDemands(asked, caller.organizationId);
    const isFree = (demand: KeyedDemand): boolean => demand.kind === "reported" && reported.hasPlenty(demand, now);
    const free = demands.filter(isFree);
    const counted = demands.length === free.length ? [] : demands.filter((demand) => !free.includes(demand));
    const admitted =
      counted.length > 0 ? await queues.of(counted).enter(counted, caller, waitUntil.getTime(), sending) : null;
    for (const demand of free) {
      reported.reserve(demand, caller);
      noticeUse(demand.subject);
    }
    if (demands.some(({ kind }) => kind === "reported")) watch.notice();
    const call = { caller, demands, counted, free, admitted, sending, waitedSince };
    return createPermit({ clock, reported, heartbeat, queueOf: queues.of }, call);
  }

  const list = createLimitList({
    reported,
    async read(subjects) {
      const { states, now } = await readStates(store, time, clock, subjects);
      return { states, now: now.wall };
    },
    async waitingFor(subject) {
      const here = queues.waiting().filter((each) => each.subject === subject);
      const elsewhere = await readWaiting(store, process, subject, isoOf(clock.wall()));
      return [...here.map(({ waiting }) => waiting), ...elsewhere];
    },
    uses: (projectId) => listUses(store, projectId),
  });

  /** Only a project that has used a subject sees what was used of it. */
  async function samplesOf({ projectId, organizationId }: Viewer): Promise<Sample[]> {
    const reports = reported.ofProject(projectId).map(({ known }) => known);
    const met = new Set([...(await listUses(store, projectId)), ...reports].map(({ subject }) => subject));
    const samples: Sample[] = [];
    for (const subject of met) samples.push(...(await listSamples(store, subject)));
    return samples.filter(({ subject, name }) => !isSharedByAll(subject) || isPartOf(name, organizationId));
  }

  const page = (after: string, limit: number) => listStates(store, after, limit);

  return {
    admit,
    states: (demands, viewer) => list.stateOf(keyedDemands(demands, viewer.organizationId), viewer),
    ofProject: list.ofProject,
    history: (shown, viewer, hours) =>
      samplesOf(viewer).then((samples) => historiesOf(samples, shown, hours, clock.wall())),
    waitingCalls: () => queues.waiting().length,
    forgetOld: () => forgetOldStates(clock.wall(), { list: page, remove: (old) => deleteStates(store, old) }),
    async forget(origin) {
      const matches = (subject: string): boolean => originIn(subject) === origin;
      const subjects = await listSubjects(page, matches);
      await store.transaction(async (db) => {
        await emptyStates(db, subjects);
        // While the rows are locked, so that no round writes back what this process still remembers.
        reported.forget(matches);
      });
      // A round that read the rows shortly before may have learned from them again.
      reported.forget(matches);
      queues.publish();
    },
    async close() {
      watch.close();
      sampler.close();
      await heartbeat.close();
      queues.close();
      await sharedWaiters.close();
    },
  };
}

/** What systems reported to other nodes. */
function learnFrom(reported: ReportedLimits, states: States, shift: number, now: number): void {
  for (const [subject, state] of states) {
    for (const limit of state.limits.values()) {
      if (limit.kind !== "reported" || limit.resetsAt - shift <= now) continue;
      const { name, remaining, max } = limit;
      const report = { subject, name, remaining, resetsAt: new Date(limit.resetsAt - shift) };
      // Calls under way, on whichever node, are not in what the system has reported.
      reported.learnShared(max === null ? report : { ...report, max }, reservedOf(state, name), now);
    }
  }
}

/** The connections that use a limit: those of this process, and those in the store. */
async function usersOf(
  db: Db,
  reported: ReportedLimits,
  subject: string,
  name: string,
): Promise<ExhaustedLimit["users"]> {
  const here = [...(reported.find(subject, name)?.users ?? [])];
  const stored = (await listUsers(db, subject)).filter(({ connectionId }) => !here.some(([id]) => id === connectionId));
  return [...here.map(([connectionId, projectId]) => ({ projectId, connectionId })), ...stored];
}

const isoOf = (milliseconds: number): string => new Date(milliseconds).toISOString();
