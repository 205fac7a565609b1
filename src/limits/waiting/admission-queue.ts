import type { ReportedLimits } from "../reported/reported-limits.ts";
import { decideRound } from "../rounds/admission-round.ts";
import { refusalOf } from "../rounds/refusal.ts";
import type { Caller, Round, Sending, SendStart, Settlement, Waiter } from "../rounds/round-types.ts";
import type { LimitClock } from "../state/clock.ts";
import type { States } from "../state/limit-row.ts";
import type { KeyedDemand as Demand } from "../state/row-keys.ts";
import { createWaitingQueue } from "./waiting-queue.ts";

/** The waiting calls of one process that need the same limits. The queue runs the admission rounds for all of them together. */
export interface AdmissionQueue {
  /** Resolves with the reservation. `hasQueued` says that the first round had no room for it. */
  enter(demands: readonly Demand[], caller: Caller, waitUntil: number, sending: Sending): Promise<Admitted>;
  /** Resolves once it is durable that the call is sent; with false if it no longer holds its reservation. */
  startSend(start: SendStart): Promise<boolean>;
  /** Resolves once the end is durable, or the store is away: the reservation then expires by itself. */
  settle(settlement: Settlement): Promise<void>;
  /** Writes what systems reported to this process into the rows, for all nodes. */
  publish(): void;
  waiting(): { waiter: Waiter; limit: Demand }[];
  isIdle(): boolean;
  close(): void;
}

export interface Admitted {
  reservationId: string;
  hasQueued: boolean;
  /** A warning about a quota of which little is left. */
  near?: string | undefined;
}

export interface AdmissionQueueOptions {
  id: string;
  demands: readonly Demand[];
  clock: LimitClock;
  reported: ReportedLimits;
  readyMilliseconds: number;
  newReservationId(): string;
  /** One transaction over the rows of these limits. */
  round(decide: (states: States, now: number) => Round): Promise<Round>;
  onWaiting(): void;
}

/** The store is away: settlements are written later. */
const storePause = 1000;
/** Every round visits every waiting call, so the queue is bounded: for one caller, and for the organization. */
const waitersOfCallerMax = 1000;
const waitersMax = 3000;

export function createAdmissionQueue(options: AdmissionQueueOptions): AdmissionQueue {
  const { clock } = options;
  const waiters = createWaitingQueue<Waiter>(({ caller }) => caller.id);
  const whenSettled = new WeakMap<Settlement, () => void>();
  const whenStarted = new WeakMap<SendStart, { resolve(isHeld: boolean): void; reject(error: unknown): void }>();
  let settlements: Settlement[] = [];
  let starts: SendStart[] = [];
  let blockedBy: Demand | null = null;
  let atWork = false;
  let again = false;
  let rounds = 0;
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
    while (again && !closed) pause = await runRound();
    atWork = false;
    if (!closed && (waiters.size > 0 || settlements.length > 0))
      cancelTimer = clock.after(Math.max(1, Math.ceil(pause)), wake);
  }

  /** Returns the pause before the next round. A call that arrives before the transaction begins takes part in it. */
  async function runRound(): Promise<number> {
    const settled: Settlement[] = [];
    let starting: readonly SendStart[] = [];
    let decided: Round | null = null;
    again = false;
    try {
      const round = await options.round((states, now) => {
        settled.push(...settlements.splice(0));
        starting = [...starts];
        again = false;
        rounds++;
        const input = {
          ...options,
          queue: options.id,
          waiters: waiters.inOrder(),
          settlements: settled,
          starts: starting,
        };
        decided = decideRound(states, now, { ...input, clockNow: clock.wall(), random: clock.random });
        return decided;
      });
      resolveWaiters(round);
      for (const settlement of settled) whenSettled.get(settlement)?.();
      for (const start of starting) whenStarted.get(start)?.resolve(round.started.has(start));
      starts = starts.filter((start) => !starting.includes(start));
      return round.pauseMilliseconds;
    } catch (error) {
      // It may have been stored, and the answer lost. Nobody sends these calls.
      giveUp(error, [...settled, ...neverSent(decided)]);
      return storePause;
    }
  }

  const neverSent = (round: Round | null): Settlement[] =>
    (round?.admitted ?? []).map(({ reservationId, waiter: { demands, caller, sending } }) => ({
      ...{ reservationId, demands, caller, outcome: "never sent", reports: [], atWorkMilliseconds: 0 },
      until: clock.wall() + options.readyMilliseconds + sending.milliseconds,
    }));

  function resolveWaiters({ admitted, refused, ...round }: Round): void {
    waiters.served(admitted.map(({ waiter }) => waiter));
    waiters.remove(refused.map(({ waiter }) => waiter));
    blockedBy = round.blockedBy;
    for (const { waiter, reservationId, near } of admitted) waiter.admitted(reservationId, near);
    for (const { waiter, reason } of refused) waiter.refused(reason);
    if (waiters.size > 0) options.onWaiting();
  }

  function giveUp(error: unknown, settled: Settlement[]): void {
    const all = [...waiters.inOrder()];
    waiters.remove(all);
    for (const waiter of all) waiter.refused(error);
    for (const start of starts.splice(0)) whenStarted.get(start)?.reject(error);
    settlements.unshift(...settled);
    for (const settlement of settlements) whenSettled.get(settlement)?.();
    settlements = settlements.filter(({ until }) => until > clock.wall());
  }

  return {
    enter: (demands, caller, waitUntil, sending) =>
      new Promise((resolve, refused) => {
        const isLong = waiters.size >= waitersMax || waiters.sizeOf(caller.id) >= waitersOfCallerMax;
        if (isLong) return refused(refusalOf(blockedBy ?? (demands[0] as Demand), storePause));
        const before = rounds;
        const admitted: Waiter["admitted"] = (reservationId, near) =>
          resolve({ reservationId, hasQueued: rounds - before > 1, near });
        waiters.add(caller.id, { demands, caller, since: clock.wall(), waitUntil, sending, admitted, refused });
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
        whenSettled.set(settlement, resolve);
        settlements.push(settlement);
        wake();
      }),
    publish: wake,
    waiting: () =>
      [...waiters.inOrder()].map((waiter) => ({ waiter, limit: blockedBy ?? (waiter.demands[0] as Demand) })),
    isIdle: () => !atWork && waiters.size === 0 && settlements.length === 0 && starts.length === 0,
    close() {
      closed = true;
      cancelTimer();
      giveUp(new Error("The limiter is closed."), []);
    },
  };
}
