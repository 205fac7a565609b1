import { randomBase62 } from "../kernel/random.ts";
import type { Db, Store } from "../store/db.ts";
import type { Demand, ReportedLimit } from "../systems/define.ts";
import { createDesk, type Desk } from "./admission-queue.ts";
import type { Caller, Sending, States, Visit, Waiter } from "./admit.ts";
import { type LimitClock, systemClock } from "./clock.ts";
import type { Exhausted } from "./exhausted.ts";
import { forgetOldStates, subjectsAmong } from "./forget-old-states.ts";
import { createPulse, pulseMilliseconds } from "./heartbeat.ts";
import {
  deletePulse,
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
  savePulse,
  saveWaiting,
  takeDead,
  type Use,
} from "./limits.store.ts";
import { createLimitList, type LimitOfConnection } from "./list-limits.ts";
import { createToldBook } from "./reported-limits.ts";
import { type KeyedDemand, keyedDemands, keyedTold, originIn } from "./row-keys.ts";
import { boardMilliseconds, createBoard, type Waiting } from "./shared-waiters.ts";
import type { LimitState, Viewer } from "./shown-limits.ts";
import { createWatch } from "./watch-low-limits.ts";
import { freeDead } from "./weigh.ts";

export type { Caller, LimitOfConnection, LimitState, Viewer };

/** Leave to send one call. */
export interface Permit {
  /**
   * To be told once the answer is there, or known not to come. Never throws: at worst the places come back by themselves. A call that
   * nobody waits for any more is at work at the system for so long, and keeps its place among those at once.
   */
  settle(told: readonly ReportedLimit[], outcome: "arrived" | "never left", atWorkMilliseconds?: number): Promise<void>;
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
const desksMax = 2000;
const knownMax = 10_000;
const day = 86_400_000;
/** Longer than any period that a system has; a reset beyond it is a misunderstanding, which must not stop everybody. */
const resetMax = 25 * 3_600_000;

export function createLimits(options: LimitsOptions): Limits {
  const { store, clock = systemClock, callSeconds = 60 } = options;
  const time = options.time ?? (store.kind === "postgres" ? "database" : "own");
  const readyMilliseconds = readySeconds * 1000;
  const process = randomBase62(8);
  const book = createToldBook();
  const desks = new Map<string, Desk>();
  const known = new Map<string, number>();
  let flights = 0;
  let deskCount = 0;

  const board = createBoard({
    clock,
    waiting: () => {
      const all = [...desks.values()].flatMap(waitingAt);
      const bySubject = Map.groupBy(all, ({ subject }) => subject);
      return new Map([...bySubject].map(([subject, here]) => [subject, here.map(({ waiting }) => waiting)]));
    },
    save: (lines, now) =>
      saveWaiting(store, process, lines, { now: isoOf(now), until: isoOf(now + boardMilliseconds) }),
  });

  function deskOf(demands: readonly KeyedDemand[]): Desk {
    const key = demands
      .map(({ subject, name }) => `${subject}\n${name}`)
      .sort()
      .join("\n\n");
    let desk = desks.get(key);
    if (!desk) {
      if (desks.size >= desksMax) for (const [old, each] of desks) if (each.isIdle()) desks.delete(old);
      const subjects = [...new Set(demands.map(({ subject }) => subject))].sort();
      desk = createDesk({
        id: `${process}.${(++deskCount).toString(36)}`,
        demands,
        clock,
        book,
        readyMilliseconds,
        newFlightId: () => `${process}.${(++flights).toString(36)}`,
        look: (decide) => lookAt(subjects, decide),
        onWaiting() {
          board.notice();
          pulse.notice();
        },
      });
      desks.set(key, desk);
    }
    return desk;
  }

  async function lookAt(subjects: readonly string[], decide: (states: States, now: number) => Visit): Promise<Visit> {
    let uses: Use[] = [];
    let seen: { states: States; shift: number } | undefined;
    const visit = await look(store, time, clock, subjects, ({ states, now }) => {
      seen = { states, shift: now.wall - clock.wall() };
      const result = decide(states, now.wall);
      uses = newUses(result);
      return { result, changed: result.changed, uses, inside: tellOf(result.exhausted) };
    });
    if (known.size >= knownMax) known.clear();
    for (const use of uses) known.set(useKey(use), clock.wall());
    if (seen) learnFrom(seen.states, seen.shift);
    return visit;
  }

  function newUses({ admitted, counted }: Visit): Use[] {
    const uses = [...admitted.map(({ waiter }) => waiter).filter(isLetInAnyway), ...counted].flatMap(
      ({ demands, caller: { projectId, connectionId } }) =>
        demands.map(({ subject }) => ({ projectId, connectionId, subject })),
    );
    return [...new Map(uses.map((use) => [useKey(use), use])).values()].filter((use) => !isKnown(use));
  }

  /** Once a day it is written again: another node may have forgotten it with all the rest of its subject. */
  const isKnown = (use: Use): boolean => (known.get(useKey(use)) ?? 0) > clock.wall() - day;

  function tellOf(exhausted: readonly Exhausted[]): ((db: Db) => Promise<void>) | undefined {
    const { onExhausted } = options;
    if (exhausted.length === 0 || !onExhausted) return undefined;
    return async (db) => {
      for (const { subject, name, until } of exhausted) {
        const here = [...(book.find(subject, name)?.users ?? [])];
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
        if (limit.kind !== "told" || limit.resetsAt - shift <= clock.wall()) continue;
        const { name, remaining, max } = limit;
        const resetsAt = new Date(limit.resetsAt - shift);
        book.learn({ subject, name, remaining, resetsAt, ...(max === null ? {} : { max }) }, clock.wall());
      }
    }
  }

  const watch = createWatch(clock, async () => {
    const { states, now } = await readLow(store, time, clock);
    learnFrom(states, now.wall - clock.wall());
  });

  const pulse = createPulse({
    clock,
    isWaiting: () => [...desks.values()].some((desk) => !desk.isIdle()),
    beat: () => savePulse(store, time, clock, process, pulseMilliseconds),
    leave: () => deletePulse(store, process),
    async bury() {
      const dead = new Set(await takeDead(store, time, clock));
      if (dead.size === 0) return;
      // Ids of desks and calls begin with the name of their process.
      const isNamed = (_: string, state: string) => [...dead].some((name) => state.includes(`"${name}.`));
      await freePlaces({ store, clock, time }, (name) => dead.has(name), isNamed);
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
    const isFree = (demand: KeyedDemand): boolean => demand.kind === "told" && book.hasPlenty(demand, now);
    const free = demands.filter(isFree);
    const counted = demands.length === free.length ? [] : demands.filter((demand) => !free.includes(demand));
    const entered =
      counted.length > 0
        ? await deskOf(counted).enter(counted, caller, waitUntil.getTime(), { milliseconds, isAnnounced })
        : null;
    const end = entered ? pulse.begin() : null;
    for (const demand of free) book.leave(demand, caller);
    if (free.length > 0) watch.notice();
    let until = clock.wall() + readyMilliseconds + milliseconds;
    const admittedAt = clock.steady();
    let isSettled = false;
    return {
      waitedMilliseconds: admittedAt - since,
      hasQueued: entered?.hasQueued ?? false,
      isStale: () =>
        clock.steady() - admittedAt > (readySeconds - spareSeconds) * 1000 || (entered !== null && pulse.isLate()),
      async leaves(answeredIn) {
        if (!entered) return true;
        until = Math.max(until, clock.wall() + answeredIn);
        return deskOf(counted).depart({ flightId: entered.flightId, milliseconds: answeredIn });
      },
      async settle(said, outcome, atWorkMilliseconds = 0) {
        if (isSettled) return;
        isSettled = true;
        end?.();
        const told = said.map((each) => withinReason(keyedTold(each, caller.organizationId), clock.wall()));
        for (const demand of free) book.land(demand);
        const low = hear(demands, told);
        for (const demand of low) if (!counted.includes(demand)) deskOf([demand]).spread();
        if (!entered) return;
        const { flightId } = entered;
        await deskOf(counted).land({ flightId, until, demands: counted, caller, outcome, told, atWorkMilliseconds });
      },
    };
  }

  /** Answers those of which little is left. A name that the call had not asked for means all that it had, once that is used up. */
  function hear(demands: readonly KeyedDemand[], told: readonly ReportedLimit[]): KeyedDemand[] {
    const low: KeyedDemand[] = [];
    for (const news of told) {
      const here = demands.filter(({ subject }) => subject === news.subject);
      const named = here.filter(({ name }) => name === news.name);
      const meant = named.length > 0 || news.remaining > 0 ? named : here;
      for (const demand of meant.filter(({ kind }) => kind === "told")) {
        if (book.learn({ ...news, name: demand.name }, clock.wall())) low.push(demand);
      }
    }
    return low;
  }

  const list = createLimitList({
    book,
    async read(subjects) {
      const { states, now } = await readStates(store, time, clock, subjects);
      return { states, now: now.wall };
    },
    async waitingFor(subject) {
      const here = [...desks.values()].flatMap(waitingAt).filter((each) => each.subject === subject);
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
        // While the rows are held, so that nobody writes back into them what is still in the book.
        book.forget(isMeant);
      });
      // Whoever read them shortly before has put it into the book once more.
      book.forget(isMeant);
      for (const desk of desks.values()) desk.spread();
    },
    async close() {
      watch.close();
      await pulse.close();
      for (const desk of desks.values()) desk.close();
      await board.close();
    },
  };
}

/**
 * For whoever is alone on the store: everybody who holds a place or waits for one is dead. What the systems may still be at keeps its
 * places until its own time is over.
 */
export async function freeAllPlaces(store: Store, clock: LimitClock = systemClock): Promise<void> {
  await freePlaces({ store, clock, time: "own" }, () => true);
  await store.transaction(forgetWaiting);
}

async function freePlaces(
  { store, clock, time }: { store: Store; clock: LimitClock; time: RowTime },
  isDead: (process: string) => boolean,
  isMeant: (subject: string, state: string) => boolean = () => true,
): Promise<void> {
  const page = (after: string, limit: number) => listStates(store, after, limit);
  for (const subject of await subjectsAmong(page, isMeant)) {
    await look(store, time, clock, [subject], ({ states, now }) => {
      const changes = [...states.values()].map((state) => freeDead(state, isDead, now.wall));
      return { result: undefined, changed: changes.includes(true), uses: [] };
    });
  }
}

const withinReason = (told: ReportedLimit, now: number): ReportedLimit =>
  told.resetsAt && told.resetsAt.getTime() > now + resetMax ? { ...told, resetsAt: new Date(now + resetMax) } : told;

const isoOf = (milliseconds: number): string => new Date(milliseconds).toISOString();

const isLetInAnyway = ({ demands }: Waiter): boolean => demands.every(({ onceLetIn }) => !onceLetIn);

const useKey = ({ connectionId, subject }: Use): string => `${connectionId}\n${subject}`;

function waitingAt(desk: Desk): { subject: string; waiting: Waiting }[] {
  return desk.waiting().map(({ waiter: { caller, since }, limit }) => ({
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
