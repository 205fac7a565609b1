import { randomBase62 } from "../kernel/random.ts";
import type { Db, Store } from "../store/db.ts";
import type { Demand, ReportedLimit } from "../systems/define.ts";
import { type AdmissionQueue, createAdmissionQueue } from "./admission-queue.ts";
import type { Caller, Round, Sending, States, Waiter } from "./admission-round.ts";
import { type LimitClock, systemClock } from "./clock.ts";
import type { Exhausted } from "./exhausted.ts";
import { forgetOldStates, subjectsAmong } from "./forget-old-states.ts";
import { createHeartbeat, heartbeatMilliseconds } from "./heartbeat.ts";
import {
  deleteHeartbeat,
  deleteStates,
  emptyStates,
  forgetWaiting,
  listStates,
  listUsers,
  listUses,
  look,
  type RowTime,
  readLow,
  readStates,
  readWaiting,
  saveHeartbeat,
  saveWaiting,
  takeDeadProcesses,
  type Use,
} from "./limits.store.ts";
import { createLimitList, type LimitOfConnection } from "./list-limits.ts";
import { createReportedLimits } from "./reported-limits.ts";
import { releaseDeadReservations } from "./reservations.ts";
import { type KeyedDemand, keyedDemands, keyedReport, originIn } from "./row-keys.ts";
import { createSharedWaiters, shownMilliseconds, type Waiting } from "./shared-waiters.ts";
import type { LimitState, Viewer } from "./shown-limits.ts";
import { createWatch } from "./watch-low-limits.ts";

export type { Caller, LimitOfConnection, LimitState, Viewer };

/** Leave to send one call. */
export interface Permit {
  /**
   * To be told once the answer is there, or known not to come. Never throws: at worst the places come back by themselves. A call that
   * nobody waits for any more is at work at the system for so long, and keeps its place among those at once.
   */
  settle(told: readonly ReportedLimit[], outcome: "arrived" | "never sent", atWorkMilliseconds?: number): Promise<void>;
  waitedMilliseconds: number;
  /** There was no room when it came. What was true then may have changed since. */
  hasQueued: boolean;
  /** Whoever has not sent the call by then gives the permit back and asks anew: its places may go to others before the answer comes. */
  isStale(): boolean;
  /**
   * An announced call is about to leave, and has its answer within this time. False where its places are not its own any more: it
   * must not leave.
   */
  leaves(milliseconds: number): Promise<boolean>;
}

/** The limits of the external systems, each organization's apart, shared by all nodes through the store. */
export interface Limits {
  /** Waits its fair turn until all demands fit, or throws StepFailed(rate_limited | quota_exhausted) with the time to come back. */
  admit(demands: readonly Demand[], caller: Caller, waitUntil: Date, sending?: Partial<Sending>): Promise<Permit>;
  /** As they stand, for one project's eyes. */
  states(demands: readonly Demand[], viewer: Viewer): Promise<LimitState[]>;
  /** Every limit that connections of the project have met. */
  ofProject(viewer: Viewer): Promise<LimitOfConnection[]>;
  /** Forgets what was not asked about for a month. Answers how many rows that were. */
  forgetOld(): Promise<number>;
  /** The system at this origin has begun anew: nothing that was counted or told of it holds any longer. */
  forget(origin: string): Promise<void>;
  close(): Promise<void>;
}

export interface LimitsOptions {
  store: Store;
  clock?: LimitClock;
  /** Whose time the rows are told in. */
  time?: RowTime;
  /** The longest that a call takes, from leaving to its answer, where it does not say so itself. */
  callSeconds?: number;
  /** Told in the transaction in which a limit turns out to be used up for more than a moment, once until it starts anew. */
  onExhausted?(db: Db, exhausted: ExhaustedLimit): Promise<void>;
}

export interface ExhaustedLimit {
  name: string;
  resetsAt: Date;
  users: { projectId: string; connectionId: string }[];
}

/** From admission on: time to get a token and to connect, and some for clocks and slow commits. */
const readySeconds = 30;
const spareSeconds = 5;
const queuesMax = 2000;
const knownMax = 10_000;
const day = 86_400_000;
/** Longer than any period that a system has; a reset beyond it is a misunderstanding, which must not stop everybody. */
const resetMax = 25 * 3_600_000;

export function createLimits(options: LimitsOptions): Limits {
  const { store, clock = systemClock, callSeconds = 60 } = options;
  const time = options.time ?? (store.kind === "postgres" ? "database" : "own");
  const readyMilliseconds = readySeconds * 1000;
  const process = randomBase62(8);
  const reported = createReportedLimits();
  const queues = new Map<string, AdmissionQueue>();
  const known = new Map<string, number>();
  let reservations = 0;
  let queueCount = 0;

  const sharedWaiters = createSharedWaiters({
    clock,
    waiting: () => {
      const all = [...queues.values()].flatMap(waitingAt);
      const bySubject = Map.groupBy(all, ({ subject }) => subject);
      return new Map([...bySubject].map(([subject, here]) => [subject, here.map(({ waiting }) => waiting)]));
    },
    save: (lines, now) =>
      saveWaiting(store, process, lines, { now: isoOf(now), until: isoOf(now + shownMilliseconds) }),
  });

  function queueOf(demands: readonly KeyedDemand[]): AdmissionQueue {
    const key = demands
      .map(({ subject, name }) => `${subject}\n${name}`)
      .sort()
      .join("\n\n");
    let queue = queues.get(key);
    if (!queue) {
      if (queues.size >= queuesMax) for (const [old, each] of queues) if (each.isIdle()) queues.delete(old);
      const subjects = [...new Set(demands.map(({ subject }) => subject))].sort();
      queue = createAdmissionQueue({
        id: `${process}.${(++queueCount).toString(36)}`,
        demands,
        clock,
        reported,
        readyMilliseconds,
        newReservationId: () => `${process}.${(++reservations).toString(36)}`,
        look: (decide) => lookAt(subjects, decide),
        onWaiting() {
          sharedWaiters.notice();
          heartbeat.notice();
        },
      });
      queues.set(key, queue);
    }
    return queue;
  }

  async function lookAt(subjects: readonly string[], decide: (states: States, now: number) => Round): Promise<Round> {
    let uses: Use[] = [];
    let seen: { states: States; shift: number } | undefined;
    const round = await look(store, time, clock, subjects, ({ states, now }) => {
      seen = { states, shift: now.wall - clock.wall() };
      const result = decide(states, now.wall);
      uses = newUses(result);
      return { result, changed: result.changed, uses, inside: announceExhausted(result.exhausted) };
    });
    if (known.size >= knownMax) known.clear();
    for (const use of uses) known.set(useKey(use), clock.wall());
    if (seen) learnFrom(seen.states, seen.shift);
    return round;
  }

  function newUses({ admitted, counted }: Round): Use[] {
    const uses = [...admitted.map(({ waiter }) => waiter).filter(isLetInAnyway), ...counted].flatMap(
      ({ demands, caller: { projectId, connectionId } }) =>
        demands.map(({ subject }) => ({ projectId, connectionId, subject })),
    );
    return [...new Map(uses.map((use) => [useKey(use), use])).values()].filter((use) => !isKnown(use));
  }

  /** Once a day it is written again: another node may have forgotten it with all the rest of its subject. */
  const isKnown = (use: Use): boolean => (known.get(useKey(use)) ?? 0) > clock.wall() - day;

  function announceExhausted(exhausted: readonly Exhausted[]): ((db: Db) => Promise<void>) | undefined {
    const { onExhausted } = options;
    if (exhausted.length === 0 || !onExhausted) return undefined;
    return async (db) => {
      for (const { subject, name, until } of exhausted) {
        const here = [...(reported.find(subject, name)?.users ?? [])];
        const users = [
          ...here.map(([connectionId, projectId]) => ({ projectId, connectionId })),
          ...(await listUsers(db, subject)).filter(({ connectionId }) => !here.some(([id]) => id === connectionId)),
        ];
        await onExhausted(db, { name, resetsAt: new Date(until), users });
      }
    };
  }

  /** What other nodes were told. */
  function learnFrom(states: States, shift: number): void {
    for (const [subject, { limits }] of states) {
      for (const limit of limits.values()) {
        if (limit.kind !== "reported" || limit.resetsAt - shift <= clock.wall()) continue;
        const { name, remaining, max } = limit;
        const resetsAt = new Date(limit.resetsAt - shift);
        reported.learn({ subject, name, remaining, resetsAt, ...(max === null ? {} : { max }) }, clock.wall());
      }
    }
  }

  const watch = createWatch(clock, async () => {
    const { states, now } = await readLow(store, time, clock);
    learnFrom(states, now.wall - clock.wall());
  });

  const heartbeat = createHeartbeat({
    clock,
    isWaiting: () => [...queues.values()].some((queue) => !queue.isIdle()),
    beat: () => saveHeartbeat(store, time, clock, process, heartbeatMilliseconds),
    leave: () => deleteHeartbeat(store, process),
    async releaseDead() {
      const dead = new Set(await takeDeadProcesses(store, time, clock));
      if (dead.size === 0) return;
      // Ids of queues and calls begin with the name of their process.
      const isNamed = (_: string, state: string) => [...dead].some((name) => state.includes(`"${name}.`));
      await releaseReservations({ store, clock, time }, (name) => dead.has(name), isNamed);
    },
  });

  async function admit(
    asked: readonly Demand[],
    caller: Caller,
    waitUntil: Date,
    { milliseconds = callSeconds * 1000, isAnnounced = false }: Partial<Sending> = {},
  ): Promise<Permit> {
    const since = clock.steady();
    const now = clock.wall();
    const demands = keyedDemands(asked, caller.organizationId);
    const isFree = (demand: KeyedDemand): boolean => demand.kind === "reported" && reported.hasPlenty(demand, now);
    const free = demands.filter(isFree);
    const counted = demands.length === free.length ? [] : demands.filter((demand) => !free.includes(demand));
    const entered =
      counted.length > 0
        ? await queueOf(counted).enter(counted, caller, waitUntil.getTime(), { milliseconds, isAnnounced })
        : null;
    const end = entered ? heartbeat.begin() : null;
    for (const demand of free) reported.leave(demand, caller);
    if (free.length > 0) watch.notice();
    let until = clock.wall() + readyMilliseconds + milliseconds;
    const admittedAt = clock.steady();
    let isSettled = false;
    return {
      waitedMilliseconds: admittedAt - since,
      hasQueued: entered?.hasQueued ?? false,
      isStale: () =>
        clock.steady() - admittedAt > (readySeconds - spareSeconds) * 1000 || (entered !== null && heartbeat.isLate()),
      async leaves(answeredIn) {
        if (!entered) return true;
        until = Math.max(until, clock.wall() + answeredIn);
        return queueOf(counted).startSend({ reservationId: entered.reservationId, milliseconds: answeredIn });
      },
      async settle(said, outcome, atWorkMilliseconds = 0) {
        if (isSettled) return;
        isSettled = true;
        end?.();
        const told = said.map((each) => withinReason(keyedReport(each, caller.organizationId), clock.wall()));
        for (const demand of free) reported.settle(demand);
        const low = learnReported(demands, told);
        for (const demand of low) if (!counted.includes(demand)) queueOf([demand]).publish();
        if (!entered) return;
        const { reservationId } = entered;
        await queueOf(counted).settle({
          reservationId,
          until,
          demands: counted,
          caller,
          outcome,
          told,
          atWorkMilliseconds,
        });
      },
    };
  }

  /** Answers those of which little is left. A name that the call had not asked for means all that it had, once that is used up. */
  function learnReported(demands: readonly KeyedDemand[], told: readonly ReportedLimit[]): KeyedDemand[] {
    const low: KeyedDemand[] = [];
    for (const news of told) {
      const here = demands.filter(({ subject }) => subject === news.subject);
      const named = here.filter(({ name }) => name === news.name);
      const meant = named.length > 0 || news.remaining > 0 ? named : here;
      for (const demand of meant.filter(({ kind }) => kind === "reported")) {
        if (reported.learn({ ...news, name: demand.name }, clock.wall())) low.push(demand);
      }
    }
    return low;
  }

  const list = createLimitList({
    reported,
    async read(subjects) {
      const { states, now } = await readStates(store, time, clock, subjects);
      return { states, now: now.wall };
    },
    async waitingFor(subject) {
      const here = [...queues.values()].flatMap(waitingAt).filter((each) => each.subject === subject);
      const elsewhere = await readWaiting(store, process, subject, isoOf(clock.wall()));
      return [...here.map(({ waiting }) => waiting), ...elsewhere];
    },
    uses: (projectId) => listUses(store, projectId),
  });

  return {
    admit,
    states: (demands, viewer) => list.stateOf(keyedDemands(demands, viewer.organizationId), viewer),
    ofProject: list.ofProject,
    forgetOld: () =>
      forgetOldStates(clock.wall(), {
        list: (after, limit) => listStates(store, after, limit),
        remove: (rows) => deleteStates(store, rows),
      }),
    async forget(origin) {
      const isMeant = (subject: string): boolean => originIn(subject) === origin;
      const subjects = await subjectsAmong((after, limit) => listStates(store, after, limit), isMeant);
      await store.transaction(async (db) => {
        await emptyStates(db, subjects);
        // While the rows are held, so that nobody writes back into them what is still in the reported.
        reported.forget(isMeant);
      });
      // Whoever read them shortly before has put it into the reported once more.
      reported.forget(isMeant);
      for (const queue of queues.values()) queue.publish();
    },
    async close() {
      watch.close();
      await heartbeat.close();
      for (const queue of queues.values()) queue.close();
      await sharedWaiters.close();
    },
  };
}

/**
 * For whoever is alone on the store: everybody who holds a place or waits for one is dead. What the systems may still be at keeps its
 * places until its own time is over.
 */
export async function releaseAllReservations(store: Store, clock: LimitClock = systemClock): Promise<void> {
  await releaseReservations({ store, clock, time: "own" }, () => true);
  await store.transaction(forgetWaiting);
}

async function releaseReservations(
  { store, clock, time }: { store: Store; clock: LimitClock; time: RowTime },
  isDead: (process: string) => boolean,
  isMeant: (subject: string, state: string) => boolean = () => true,
): Promise<void> {
  const page = (after: string, limit: number) => listStates(store, after, limit);
  for (const subject of await subjectsAmong(page, isMeant)) {
    await look(store, time, clock, [subject], ({ states, now }) => {
      const changes = [...states.values()].map((state) => releaseDeadReservations(state, isDead, now.wall));
      return { result: undefined, changed: changes.includes(true), uses: [] };
    });
  }
}

const withinReason = (told: ReportedLimit, now: number): ReportedLimit =>
  told.resetsAt && told.resetsAt.getTime() > now + resetMax ? { ...told, resetsAt: new Date(now + resetMax) } : told;

const isoOf = (milliseconds: number): string => new Date(milliseconds).toISOString();

const isLetInAnyway = ({ demands }: Waiter): boolean => demands.every(({ onceLetIn }) => !onceLetIn);

const useKey = ({ connectionId, subject }: Use): string => `${connectionId}\n${subject}`;

function waitingAt(queue: AdmissionQueue): { subject: string; waiting: Waiting }[] {
  return queue.waiting().map(({ waiter: { caller, since }, limit }) => ({
    subject: limit.subject,
    waiting: {
      caller: caller.id,
      projectId: caller.projectId,
      connectionId: caller.connectionId,
      runId: caller.runId,
      since: isoOf(since),
      name: limit.name,
    },
  }));
}
