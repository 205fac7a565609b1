import {
  type Caller,
  type Departure,
  decideVisit,
  type Landing,
  type Sending,
  type States,
  type Visit,
  type Waiter,
} from "./admit.ts";
import type { LimitClock } from "./clock.ts";
import { refusalOf } from "./refusal.ts";
import type { ToldBook } from "./reported-limits.ts";
import type { KeyedDemand as Demand } from "./row-keys.ts";
import { createLine } from "./waiting-queue.ts";

/** One line of callers who want the same limits, and the only one in this process who asks the store on their behalf. */
export interface Desk {
  /** Resolves with the id of the places once they are taken; `hasQueued` where the first look had no room. */
  enter(demands: readonly Demand[], caller: Caller, waitUntil: number, sending: Sending): Promise<Entered>;
  /** Resolves once the rows know that the call leaves: with false where its places are not its own any more. */
  depart(departure: Departure): Promise<boolean>;
  /** Resolves once the rows know, or cannot be told: the places then come back when the call's time is over. */
  land(landing: Landing): Promise<void>;
  /** What was told to this process becomes known to all. */
  spread(): void;
  waiting(): { waiter: Waiter; limit: Demand }[];
  isIdle(): boolean;
  close(): void;
}

export interface Entered {
  flightId: string;
  hasQueued: boolean;
}

export interface DeskOptions {
  id: string;
  demands: readonly Demand[];
  clock: LimitClock;
  book: ToldBook;
  readyMilliseconds: number;
  newFlightId(): string;
  /** One transaction on the rows of these demands. */
  look(decide: (states: States, now: number) => Visit): Promise<Visit>;
  onWaiting(): void;
}

/** The store does not answer: what landed is told to it later. */
const storePause = 1000;
/** Every look weighs everybody who waits, so there is an end to the line: for one caller, and for all of an organization's. */
const waitersOfCallerMax = 1000;
const waitersMax = 3000;

export function createDesk(options: DeskOptions): Desk {
  const { clock } = options;
  const line = createLine<Waiter>(({ caller }) => caller.id);
  const whenKnown = new WeakMap<Landing, () => void>();
  const whenDeparted = new WeakMap<Departure, { resolve(isHeld: boolean): void; reject(error: unknown): void }>();
  let landings: Landing[] = [];
  let departures: Departure[] = [];
  let blockedBy: Demand | null = null;
  let atWork = false;
  let again = false;
  let looks = 0;
  let closed = false;
  let callOff = () => {};

  function stir(): void {
    if (closed) return;
    again = true;
    if (!atWork) void work();
  }

  async function work(): Promise<void> {
    atWork = true;
    callOff();
    let pause = 0;
    while (again && !closed) pause = await visit();
    atWork = false;
    if (!closed && (line.size > 0 || landings.length > 0)) callOff = clock.after(Math.max(1, Math.ceil(pause)), stir);
  }

  /** Answers after which time to look again. Whoever comes until the transaction begins is served in it. */
  async function visit(): Promise<number> {
    const landed: Landing[] = [];
    let departing: readonly Departure[] = [];
    again = false;
    try {
      const visit = await options.look((states, now) => {
        landed.push(...landings.splice(0));
        departing = [...departures];
        again = false;
        looks++;
        const errand = {
          ...options,
          desk: options.id,
          waiters: line.inOrder(),
          landings: landed,
          departures: departing,
        };
        return decideVisit(states, now, { ...errand, clockNow: clock.wall(), random: clock.random });
      });
      tell(visit);
      for (const landing of landed) whenKnown.get(landing)?.();
      for (const departure of departing) whenDeparted.get(departure)?.resolve(visit.departed.has(departure));
      departures = departures.filter((departure) => !departing.includes(departure));
      return visit.lookAgainAfter;
    } catch (error) {
      giveUp(error, landed);
      return storePause;
    }
  }

  function tell({ admitted, refused, ...visit }: Visit): void {
    line.served(admitted.map(({ waiter }) => waiter));
    line.remove(refused.map(({ waiter }) => waiter));
    blockedBy = visit.blockedBy;
    for (const { waiter, flightId } of admitted) waiter.admitted(flightId);
    for (const { waiter, reason } of refused) waiter.refused(reason);
    if (line.size > 0) options.onWaiting();
  }

  function giveUp(error: unknown, landed: Landing[]): void {
    const waiters = [...line.inOrder()];
    line.remove(waiters);
    for (const waiter of waiters) waiter.refused(error);
    for (const departure of departures.splice(0)) whenDeparted.get(departure)?.reject(error);
    landings.unshift(...landed);
    for (const landing of landings) whenKnown.get(landing)?.();
    landings = landings.filter(({ until }) => until > clock.wall());
  }

  return {
    enter: (demands, caller, waitUntil, sending) =>
      new Promise((resolve, refused) => {
        const isLong = line.size >= waitersMax || line.sizeOf(caller.id) >= waitersOfCallerMax;
        if (isLong) return refused(refusalOf(blockedBy ?? (demands[0] as Demand), storePause));
        const before = looks;
        const admitted = (flightId: string) => resolve({ flightId, hasQueued: looks - before > 1 });
        line.add(caller.id, { demands, caller, since: clock.wall(), waitUntil, sending, admitted, refused });
        stir();
      }),
    depart: (departure) =>
      new Promise((resolve, reject) => {
        whenDeparted.set(departure, { resolve, reject });
        departures.push(departure);
        stir();
      }),
    land: (landing) =>
      new Promise((resolve) => {
        whenKnown.set(landing, resolve);
        landings.push(landing);
        stir();
      }),
    spread: stir,
    waiting: () => [...line.inOrder()].map((waiter) => ({ waiter, limit: blockedBy ?? (waiter.demands[0] as Demand) })),
    isIdle: () => !atWork && line.size === 0 && landings.length === 0 && departures.length === 0,
    close() {
      closed = true;
      callOff();
      giveUp(new Error("The limiter is closed."), []);
    },
  };
}
