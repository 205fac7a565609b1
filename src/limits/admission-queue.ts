import {
  type Caller,
  decideRound,
  type Round,
  type Sending,
  type SendStart,
  type Settlement,
  type States,
  type Waiter,
} from "./admission-round.ts";
import type { LimitClock } from "./clock.ts";
import { refusalOf } from "./refusal.ts";
import type { ReportedLimits } from "./reported-limits.ts";
import type { KeyedDemand as Demand } from "./row-keys.ts";
import { createWaitingQueue } from "./waiting-queue.ts";

/** One line of callers who want the same limits, and the only one in this process who asks the store on their behalf. */
export interface AdmissionQueue {
  /** Resolves with the id of the places once they are taken; `hasQueued` where the first look had no room. */
  enter(demands: readonly Demand[], caller: Caller, waitUntil: number, sending: Sending): Promise<Admitted>;
  /** Resolves once the rows know that the call leaves: with false where its places are not its own any more. */
  startSend(start: SendStart): Promise<boolean>;
  /** Resolves once the rows know, or cannot be told: the places then come back when the call's time is over. */
  settle(settlement: Settlement): Promise<void>;
  /** What was told to this process becomes known to all. */
  publish(): void;
  waiting(): { waiter: Waiter; limit: Demand }[];
  isIdle(): boolean;
  close(): void;
}

export interface Admitted {
  reservationId: string;
  hasQueued: boolean;
}

export interface AdmissionQueueOptions {
  id: string;
  demands: readonly Demand[];
  clock: LimitClock;
  reported: ReportedLimits;
  readyMilliseconds: number;
  newReservationId(): string;
  /** One transaction on the rows of these demands. */
  look(decide: (states: States, now: number) => Round): Promise<Round>;
  onWaiting(): void;
}

/** The store does not answer: what settled is told to it later. */
const storePause = 1000;
/** Every look weighs everybody who waits, so there is an end to the line: for one caller, and for all of an organization's. */
const waitersOfCallerMax = 1000;
const waitersMax = 3000;

export function createAdmissionQueue(options: AdmissionQueueOptions): AdmissionQueue {
  const { clock } = options;
  const line = createWaitingQueue<Waiter>(({ caller }) => caller.id);
  const whenKnown = new WeakMap<Settlement, () => void>();
  const whenStarted = new WeakMap<SendStart, { resolve(isHeld: boolean): void; reject(error: unknown): void }>();
  let settlements: Settlement[] = [];
  let starts: SendStart[] = [];
  let blockedBy: Demand | null = null;
  let atWork = false;
  let again = false;
  let looks = 0;
  let closed = false;
  let cancelTimer = () => {};

  function wake(): void {
    if (closed) return;
    again = true;
    if (!atWork) void work();
  }

  async function work(): Promise<void> {
    atWork = true;
    cancelTimer();
    let pause = 0;
    while (again && !closed) pause = await round();
    atWork = false;
    if (!closed && (line.size > 0 || settlements.length > 0))
      cancelTimer = clock.after(Math.max(1, Math.ceil(pause)), wake);
  }

  /** Answers after which time to look again. Whoever comes until the transaction begins is served in it. */
  async function round(): Promise<number> {
    const settled: Settlement[] = [];
    let starting: readonly SendStart[] = [];
    again = false;
    try {
      const round = await options.look((states, now) => {
        settled.push(...settlements.splice(0));
        starting = [...starts];
        again = false;
        looks++;
        const input = {
          ...options,
          queue: options.id,
          waiters: line.inOrder(),
          settlements: settled,
          starts: starting,
        };
        return decideRound(states, now, { ...input, clockNow: clock.wall(), random: clock.random });
      });
      tell(round);
      for (const settlement of settled) whenKnown.get(settlement)?.();
      for (const start of starting) whenStarted.get(start)?.resolve(round.started.has(start));
      starts = starts.filter((start) => !starting.includes(start));
      return round.lookAgainAfter;
    } catch (error) {
      giveUp(error, settled);
      return storePause;
    }
  }

  function tell({ admitted, refused, ...round }: Round): void {
    line.served(admitted.map(({ waiter }) => waiter));
    line.remove(refused.map(({ waiter }) => waiter));
    blockedBy = round.blockedBy;
    for (const { waiter, reservationId } of admitted) waiter.admitted(reservationId);
    for (const { waiter, reason } of refused) waiter.refused(reason);
    if (line.size > 0) options.onWaiting();
  }

  function giveUp(error: unknown, settled: Settlement[]): void {
    const waiters = [...line.inOrder()];
    line.remove(waiters);
    for (const waiter of waiters) waiter.refused(error);
    for (const start of starts.splice(0)) whenStarted.get(start)?.reject(error);
    settlements.unshift(...settled);
    for (const settlement of settlements) whenKnown.get(settlement)?.();
    settlements = settlements.filter(({ until }) => until > clock.wall());
  }

  return {
    enter: (demands, caller, waitUntil, sending) =>
      new Promise((resolve, refused) => {
        const isLong = line.size >= waitersMax || line.sizeOf(caller.id) >= waitersOfCallerMax;
        if (isLong) return refused(refusalOf(blockedBy ?? (demands[0] as Demand), storePause));
        const before = looks;
        const admitted = (reservationId: string) => resolve({ reservationId, hasQueued: looks - before > 1 });
        line.add(caller.id, { demands, caller, since: clock.wall(), waitUntil, sending, admitted, refused });
        wake();
      }),
    startSend: (start) =>
      new Promise((resolve, reject) => {
        whenStarted.set(start, { resolve, reject });
        starts.push(start);
        wake();
      }),
    settle: (settlement) =>
      new Promise((resolve) => {
        whenKnown.set(settlement, resolve);
        settlements.push(settlement);
        wake();
      }),
    publish: wake,
    waiting: () => [...line.inOrder()].map((waiter) => ({ waiter, limit: blockedBy ?? (waiter.demands[0] as Demand) })),
    isIdle: () => !atWork && line.size === 0 && settlements.length === 0 && starts.length === 0,
    close() {
      closed = true;
      cancelTimer();
      giveUp(new Error("The limiter is closed."), []);
    },
  };
}
