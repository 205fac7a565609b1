import type { ReportedLimit } from "../systems/define.ts";
import type { StepFailed } from "../systems/work.ts";
import { type Exhausted, newlyExhausted } from "./exhausted.ts";
import { keepTurn, leaveTurn, passTurn, processOf, slotsForOthers } from "./node-turns.ts";
import { refusalOf } from "./refusal.ts";
import type { ReportedLimits } from "./reported-limits.ts";
import { checkFit, expire, learn, recordOf, settle, stayAtWork, take } from "./reservations.ts";
import type { KeyedDemand as Demand } from "./row-keys.ts";
import type { SubjectState } from "./state.ts";

export interface Caller {
  id: string;
  /** Whose limits they are. */
  organizationId: string;
  projectId: string;
  connectionId: string;
  runId: string;
}

/** What is known of a call before it leaves. */
export interface Sending {
  /** The longest that it takes, from leaving to its answer. */
  milliseconds: number;
  /** It says so before it leaves: until then its process may die, and nothing has happened. */
  isAnnounced: boolean;
}

/** Times are those of its own process. */
export interface Waiter {
  demands: readonly Demand[];
  caller: Caller;
  sending: Sending;
  since: number;
  waitUntil: number;
  admitted: (reservationId: string) => void;
  refused: (reason: unknown) => void;
}

/** A call whose answer came, or will not come any more. */
export interface Settlement {
  reservationId: string;
  /** When its places come back by themselves. */
  until: number;
  demands: readonly Demand[];
  caller: Caller;
  outcome: "arrived" | "never sent";
  told: readonly ReportedLimit[];
  /** How long the system may still be at it, though nobody waits for its answer. */
  atWorkMilliseconds: number;
}

/** A call that is about to leave. */
export interface SendStart {
  reservationId: string;
  /** From now on, its answer included. */
  milliseconds: number;
}

/** What a queue brings to the rows. */
export interface RoundInput {
  queue: string;
  /** What everybody at this queue wants; the amounts are each one's own. */
  demands: readonly Demand[];
  waiters: Iterable<Waiter>;
  settlements: readonly Settlement[];
  starts: readonly SendStart[];
  reported: ReportedLimits;
  /** This process's own time. */
  clockNow: number;
  /** What a call may take from its admission until it leaves. */
  readyMilliseconds: number;
  newReservationId(): string;
  random(): number;
}

/** What one look at the rows has brought. */
export interface Round {
  admitted: { waiter: Waiter; reservationId: string }[];
  /** Calls that the system has let in, and counted. */
  counted: Settlement[];
  refused: { waiter: Waiter; reason: StepFailed }[];
  /** Of those that are about to leave: those whose places are still theirs. */
  started: ReadonlySet<SendStart>;
  changed: boolean;
  /** Of which somebody is to be told. */
  exhausted: Exhausted[];
  /** What the first in line waits for; null where nobody does. */
  blockedBy: Demand | null;
  lookAgainAfter: number;
}

export type States = ReadonlyMap<string, SubjectState>;

/** Calls under way elsewhere end unannounced, so one looks again; a little irregularly, so that nodes do not march in step. */
const pauseLeast = 50;
const pauseMost = 250;
const pauseLongest = 5000;

/**
 * One look: what has settled is counted, who fits leaves in the order of the line, and who cannot have a place in time is
 * refused. It changes the states and nothing else, because a transaction may be run more than once.
 */
export function decideRound(states: States, now: number, input: RoundInput): Round {
  const { clockNow, queue } = input;
  const round: Round = {
    admitted: [],
    counted: input.settlements.filter(({ outcome }) => outcome === "arrived"),
    refused: [],
    started: new Set(),
    changed: false,
    exhausted: [],
    blockedBy: null,
    lookAgainAfter: pauseLongest,
  };
  for (const state of states.values()) expire(state, now);
  for (const settlement of input.settlements) settleIn(states, settlement, now, now - clockNow);
  round.started = new Set(input.starts.filter((start) => startIn(states, start, now)));
  round.changed = publishReported(states, input, now) || input.settlements.length > 0 || input.starts.length > 0;
  const before = new Map<string, number>();
  const short = new Set<string>();
  for (const waiter of input.waiters) {
    if (round.blockedBy === null && tryToTake(states, waiter, input, now, round)) continue;
    const { at, by: found, isFree } = earliest(states, waiter.demands, before, input, now);
    // Where all it wants is free, it waits for what those before it in the line wait for.
    const by = isFree ? (round.blockedBy ?? found) : found;
    const left = waiter.waitUntil - clockNow;
    if (left <= 0 || at - now > left) {
      round.refused.push({ waiter, reason: refusalOf(by, at - now) });
      if (by.kind === "calendar") short.add(keyOf(by));
      continue;
    }
    if (round.blockedBy === null) {
      round.blockedBy = by;
      round.lookAgainAfter = Math.min(pauseLongest, pauseBefore(states, waiter, input, now));
    }
    round.lookAgainAfter = Math.min(round.lookAgainAfter, left);
    for (const demand of waiter.demands) before.set(keyOf(demand), (before.get(keyOf(demand)) ?? 0) + demand.amount);
  }
  for (const [subject, state] of states) {
    round.exhausted.push(...newlyExhausted(subject, state, now, namesIn(short, subject)));
    if (round.exhausted.length > 0) round.changed = true;
    const limit = round.blockedBy?.subject === subject ? round.blockedBy.name : null;
    if (limit === null ? leaveTurn(state, queue) : keepTurn(state, queue, limit, now)) round.changed = true;
  }
  return round;
}

const namesIn = (keys: ReadonlySet<string>, subject: string): ReadonlySet<string> =>
  keys.size === 0
    ? keys
    : new Set([...keys].filter((key) => key.startsWith(`${subject}\n`)).map((key) => key.slice(subject.length + 1)));

const keyOf = ({ subject, name }: Demand): string => `${subject}\n${name}`;

const stateOf = (states: States, { subject }: Demand): SubjectState => states.get(subject) as SubjectState;

/** What this process's calls hold of a told limit without the row knowing. */
const heldOf = ({ subject, name, kind }: Demand, { reported }: RoundInput): number =>
  kind === "reported" ? (reported.find(subject, name)?.reserved ?? 0) : 0;

/** Of a quota nobody takes turns: it is there for hours, or not. */
const othersBefore = (state: SubjectState, { name, kind, max }: Demand, { queue }: RoundInput): number =>
  kind === "calendar" ? 0 : slotsForOthers(state, queue, name, max ?? 1);

function tryToTake(states: States, waiter: Waiter, input: RoundInput, now: number, round: Round): boolean {
  const fits = waiter.demands.every((demand) => {
    const state = stateOf(states, demand);
    const need = demand.amount * (1 + othersBefore(state, demand, input));
    return checkFit(state, demand, need, now, heldOf(demand, input)).fits;
  });
  if (!fits) return false;
  const reservationId = input.newReservationId();
  const { milliseconds, isAnnounced } = waiter.sending;
  const until = now + input.readyMilliseconds + milliseconds;
  for (const [subject, state] of states) {
    const demands = waiter.demands.filter((demand) => demand.subject === subject);
    take(state, { id: reservationId, until, ...(isAnnounced ? { stage: "announced" } : {}) }, demands);
    passTurn(state, input.queue);
  }
  round.admitted.push({ waiter, reservationId });
  round.changed = true;
  return true;
}

/**
 * The earliest time at which it can be this waiter's turn, if everybody before it in this line has theirs, and what it waits for
 * until then: of what is free at the same time, that which is not free now, or kept for others.
 */
function earliest(
  states: States,
  demands: readonly Demand[],
  before: ReadonlyMap<string, number>,
  input: RoundInput,
  now: number,
): { at: number; by: Demand; isFree: boolean } {
  let found: { at: number; by: Demand; isFree: boolean } | null = null;
  for (const demand of demands) {
    const state = stateOf(states, demand);
    const need = demand.amount + (before.get(keyOf(demand)) ?? 0);
    const { fits, at } = checkFit(state, demand, need, now, heldOf(demand, input));
    const isFree = fits && !isKeptForOthers(state, demand, input, now);
    if (!found || at > found.at || (at === found.at && found.isFree && !isFree)) found = { at, by: demand, isFree };
  }
  return found as { at: number; by: Demand; isFree: boolean };
}

function isKeptForOthers(state: SubjectState, demand: Demand, input: RoundInput, now: number): boolean {
  const others = othersBefore(state, demand, input);
  return others > 0 && !checkFit(state, demand, demand.amount * (1 + others), now, heldOf(demand, input)).fits;
}

/** Until the place is free; where somebody else must end or be served first, a little longer. */
function pauseBefore(states: States, { demands }: Waiter, input: RoundInput, now: number): number {
  const { at, by } = earliest(states, demands, new Map(), input, now);
  const isFirst = demands.every((demand) => othersBefore(stateOf(states, demand), demand, input) === 0);
  if (isFirst && at > now) return at - now;
  const { reservations } = stateOf(states, by);
  // The end of a call of this process is heard of at once.
  if (isFirst && by.kind !== "reported" && reservations.every(({ id }) => processOf(id) === processOf(input.queue)))
    return pauseLongest;
  return at - now + pauseLeast + input.random() * (pauseMost - pauseLeast);
}

/** What this process was told, and the rows do not know yet. */
function publishReported(states: States, { demands, reported, clockNow }: RoundInput, now: number): boolean {
  let isNews = false;
  for (const demand of demands.filter(({ kind }) => kind === "reported")) {
    const known = reported.find(demand.subject, demand.name)?.record;
    const record = recordOf(stateOf(states, demand), demand, now);
    if (record.kind !== "reported" || !known || known.resetsAt <= clockNow) continue;
    const { remaining, max, resetsAt } = known;
    const news = { remaining, resetsAt: new Date(resetsAt + now - clockNow), ...(max === null ? {} : { max }) };
    if (learn(record, news)) isNews = true;
  }
  return isNews;
}

function settleIn(states: States, settlement: Settlement, now: number, shift: number): void {
  for (const [subject, state] of states) {
    const asked = settlement.demands.filter((demand) => demand.subject === subject);
    const told = settlement.told
      .filter((each) => each.subject === subject)
      .map((each) => (each.resetsAt ? { ...each, resetsAt: new Date(each.resetsAt.getTime() + shift) } : each));
    for (const demand of asked) recordOf(state, demand, now);
    const amounts = Object.fromEntries(asked.map(({ name, amount }) => [name, amount]));
    settle(state, settlement.reservationId, settlement.outcome, told, now, amounts);
    if (settlement.atWorkMilliseconds > 0)
      stayAtWork(state, settlement.reservationId, amounts, now + settlement.atWorkMilliseconds);
  }
}

function startIn(states: States, { reservationId, milliseconds }: SendStart, now: number): boolean {
  const reservations = [...states.values()].flatMap((state) =>
    state.reservations.filter(({ id }) => id === reservationId),
  );
  // It was taken for dead meanwhile, or took too long.
  if (reservations.length < states.size) return false;
  for (const reservation of reservations) Object.assign(reservation, { stage: "sent", until: now + milliseconds });
  return true;
}
