import type { Log } from "../kernel/log.ts";
import { randomBase62 } from "../kernel/random.ts";
import type { Db, Store } from "../store/db.ts";
import type { Demand } from "../systems/define.ts";
import { createAdmission } from "./admit.ts";
import { forgetOldStates } from "./forget-old-states.ts";
import { forgetSystem } from "./forget-system.ts";
import { createHeartbeat, heartbeatMilliseconds } from "./heartbeat.ts";
import type { LimitHistory } from "./history/history.ts";
import { createHistory } from "./history/keep-history.ts";
import {
  deleteHeartbeat,
  deleteStates,
  listStates,
  listUses,
  putHeartbeat,
  type RowTime,
  readLow,
  readStates,
  readWaiting,
  saveWaiting,
} from "./limits.store.ts";
import { type Permit, readySeconds } from "./permit.ts";
import { releaseOfDeadProcesses } from "./release-reservations.ts";
import { learnReported } from "./reported/learn-reported.ts";
import { createReportedLimits, type ReportedLimits } from "./reported/reported-limits.ts";
import { createWatch } from "./reported/watch-low-limits.ts";
import type { Caller, Sending } from "./rounds/round-types.ts";
import { createRounds, type ExhaustedLimit, type LimitRows } from "./run-round.ts";
import { createLimitList, type LimitOfConnection } from "./shown/list-limits.ts";
import type { LimitState, Viewer } from "./shown/shown-limits.ts";
import { type LimitClock, systemClock } from "./state/clock.ts";
import { keyedDemands } from "./state/row-keys.ts";
import { type AdmissionQueues, createAdmissionQueues } from "./waiting/queue-registry.ts";
import { createSharedWaiters, shownMilliseconds } from "./waiting/shared-waiters.ts";

export { releaseAllReservations } from "./release-reservations.ts";
export type { Caller, ExhaustedLimit, LimitOfConnection, LimitState, Permit, Viewer };

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
  forgetOld(now?: Date): Promise<number>;
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
  /** The name of this process among those that share the store; by chance if it is not given. */
  process?: string;
  /** How many processes share the store; infinite while that is unknown. By default, a few. */
  processes?: () => number;
  log?: Log;
}

/** Puts the parts together; each is a file that says what it does. */
export function createLimits(options: LimitsOptions): Limits {
  const { store, clock = systemClock, callSeconds = 60, log } = options;
  const rows: LimitRows = { store, clock, time: options.time ?? (store.kind === "postgres" ? "database" : "own") };
  const process = options.process ?? randomBase62(8);
  const reported = createReportedLimits(clock, options.processes ?? (() => 1));
  const failed = (what: string) => (error: unknown) => log?.warn({ err: error }, `${what} failed, will be tried again`);
  const putOwnHeartbeat = (db: Db): Promise<void> => putHeartbeat(db, rows, process, heartbeatMilliseconds);

  const queues = createAdmissionQueues({
    process,
    clock,
    reported,
    readyMilliseconds: readySeconds * 1000,
    round: (subjects, decide) => runRound(subjects, decide),
    onWaiting() {
      sharedWaiters.notice();
      heartbeat.notice();
    },
  });
  const sharedWaiters = showWaiting(store, clock, process, queues, (error) =>
    log?.warn({ err: error }, "other nodes do not see the calls that wait here: they could not be saved"),
  );
  const heartbeat = createHeartbeat({
    clock,
    isWaiting: queues.areBusy,
    beat: () => store.transaction(putOwnHeartbeat),
    leave: () => deleteHeartbeat(store, process),
    releaseDead: () => releaseOfDeadProcesses(rows),
    failed: failed("the limiter's heartbeat"),
    notDeleted: (error) => log?.warn({ err: error }, "the limiter's heartbeat was not deleted: it expires by itself"),
  });
  const watch = createWatch(
    clock,
    () => learnFromLow(rows, reported),
    failed("reading limits that are nearly used up"),
  );
  const list = listFrom(rows, process, reported, queues);
  const history = createHistory({
    store,
    clock,
    reported,
    isKept: options.isHistoryKept ?? false,
    measure: list.ofRows,
    uses: (projectId) => listUses(store, projectId),
    failed: failed("sampling the limits"),
  });
  const runRound = createRounds({
    rows,
    reported,
    heartbeat: { isKnown: heartbeat.isKnown, put: putOwnHeartbeat },
    noticeUse: history.notice,
    onExhausted: options.onExhausted,
  });
  const admit = createAdmission({
    clock,
    reported,
    queues,
    heartbeat,
    callSeconds,
    noticeUse: history.notice,
    noticeReported: watch.notice,
  });

  return {
    admit,
    states: (demands, viewer) => list.stateOf(keyedDemands(demands, viewer.organizationId), viewer),
    ofProject: list.ofProject,
    history: history.of,
    waitingCalls: () => queues.waiting().length,
    forgetOld: (now) =>
      forgetOldStates(now?.getTime() ?? clock.wall(), {
        list: (after, limit) => listStates(store, after, limit),
        remove: (old) => deleteStates(store, old),
      }),
    async forget(origin) {
      await forgetSystem(store, reported, origin);
      queues.publish();
    },
    async close() {
      watch.close();
      history.close();
      await heartbeat.close();
      queues.close();
      await sharedWaiters.close();
    },
  };
}

/** Shows this process's waiting calls to other nodes. */
const showWaiting = (
  store: Store,
  clock: LimitClock,
  process: string,
  queues: AdmissionQueues,
  failed: (error: unknown) => void,
) =>
  createSharedWaiters({
    clock,
    waiting() {
      const bySubject = Map.groupBy(queues.waiting(), ({ subject }) => subject);
      return new Map([...bySubject].map(([subject, here]) => [subject, here.map(({ waiting }) => waiting)]));
    },
    save: (bySubject, now) =>
      saveWaiting(store, process, bySubject, { now: isoOf(now), until: isoOf(now + shownMilliseconds) }),
    failed,
  });

async function learnFromLow({ store, time, clock }: LimitRows, reported: ReportedLimits): Promise<void> {
  const { states, now } = await readLow(store, time, clock);
  learnReported(reported, states, now.wall - clock.wall(), clock.wall());
}

const listFrom = (
  { store, time, clock }: LimitRows,
  process: string,
  reported: ReportedLimits,
  queues: AdmissionQueues,
) =>
  createLimitList({
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

const isoOf = (milliseconds: number): string => new Date(milliseconds).toISOString();
