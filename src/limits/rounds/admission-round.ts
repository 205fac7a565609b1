import type { States, SubjectState } from "../state/limit-row.ts";
import {
  areRunsExpected,
  hasTurn,
  keepTurn,
  leaveTurn,
  passTurn,
  processOf,
  slotsForOthers,
  turnMilliseconds,
  turnOfRun,
} from "../state/node-turns.ts";
import { expire, keepSlotUntil, learn, recordOf, reserve, settle } from "../state/reservations.ts";
import type { KeyedDemand as Demand } from "../state/row-keys.ts";
import { checkFit, isUnknown, noteProbe } from "./check-fit.ts";
import { newlyExhausted } from "./exhausted.ts";
import { nearlyUsed } from "./nearly-used.ts";
import { refusalOf } from "./refusal.ts";
import type { Round, RoundInput, SendStart, Settlement, Waiter } from "./round-types.ts";

/** Calls of other nodes end without notice, so a queue polls. The jitter keeps nodes from polling in step. */
const pauseLeast = 50;
const pauseMost = 250;
const pauseLongest = 5000;

/**
 * One admission round: counts ended calls, admits waiting calls in order while they fit, and refuses calls that cannot be admitted
 * in time. It changes the states and nothing else, because a transaction may run more than once.
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
    pauseMilliseconds: pauseLongest,
  };
  for (const state of states.values()) expire(state, now);
  for (const settlement of input.settlements) settleIn(states, settlement, now, now - clockNow);
  round.started = new Set(input.starts.filter((start) => startIn(states, start, now)));
  round.changed = publishReported(states, input, now) || input.settlements.length > 0 || input.starts.length > 0;
  const before = new Map<string, number>();
  const short = new Set<string>();
  for (const waiter of inTurn(states, input.waiters)) {
    if (round.blockedBy === null && tryToAdmit(states, waiter, input, now, round)) continue;
    const { at, by: found, isFree } = earliest(states, waiter, before, input, now);
    // If everything it needs is free, it waits for the limit that blocks the calls before it.
    const by = isFree ? (round.blockedBy ?? found) : found;
    const left = waiter.waitUntil - clockNow;
    if (left <= 0 || at - now > left) {
      // That nothing is known of a limit is no reason to refuse a call that cannot wait.
      if (isUnknown(stateOf(states, by), by, now) && admit(states, waiter, input, now, round)) continue;
      round.refused.push({ waiter, reason: refusalOf(by, at - now, isPaused(states, by, now)) });
      if (waiter.sending.willRetry && keepTurnOfRun(states, waiter, by, at, now)) round.changed = true;
      if (by.kind === "calendar") short.add(keyOf(by));
      continue;
    }
    if (round.blockedBy === null) {
      round.blockedBy = by;
      round.pauseMilliseconds = Math.min(pauseLongest, pauseBefore(states, waiter, input, now));
    }
    round.pauseMilliseconds = Math.min(round.pauseMilliseconds, left);
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

/** Runs that are back come first: slots were kept free for them. */
function inTurn(states: States, waiters: Iterable<Waiter>): Iterable<Waiter> {
  if (![...states.values()].some(areRunsExpected)) return waiters;
  const [back, others] = [[], []] as [Waiter[], Waiter[]];
  for (const waiter of waiters) (turnIn(states, waiter) === null ? others : back).push(waiter);
  return [...back, ...others];
}

/** The turn that a run has kept since it was refused. */
function turnIn(states: States, { sending, caller }: Waiter): string | null {
  if (!sending.willRetry) return null;
  const turn = turnOfRun(caller.runId);
  return [...states.values()].some((state) => hasTurn(state, turn)) ? turn : null;
}

/** Kept until some time after it should be back. */
function keepTurnOfRun(states: States, { caller }: Waiter, by: Demand, at: number, now: number): boolean {
  if (by.kind === "calendar") return false;
  return keepTurn(stateOf(states, by), turnOfRun(caller.runId), by.name, now, Math.max(at, now) + turnMilliseconds);
}

const isPaused = (states: States, by: Demand, now: number): boolean =>
  (stateOf(states, by).limits.get(by.name)?.pausedUntil ?? 0) > now;

const namesIn = (keys: ReadonlySet<string>, subject: string): ReadonlySet<string> =>
  keys.size === 0
    ? keys
    : new Set([...keys].filter((key) => key.startsWith(`${subject}\n`)).map((key) => key.slice(subject.length + 1)));

const keyOf = ({ subject, name }: Demand): string => `${subject}\n${name}`;

const stateOf = (states: States, { subject }: Demand): SubjectState => states.get(subject) as SubjectState;

/** What calls of this process hold of a reported limit; the row does not know it. */
const heldOf = ({ subject, name, kind }: Demand, { reported }: RoundInput): number =>
  kind === "reported" ? (reported.find(subject, name)?.reserved ?? 0) : 0;

/** Nodes take no turns at a quota: it is free for hours, or not at all. */
const othersBefore = (
  state: SubjectState,
  { name, kind, max }: Demand,
  { queue }: RoundInput,
  turn: string | null,
): number => (kind === "calendar" ? 0 : slotsForOthers(state, turn ?? queue, name, max ?? 1, queue));

function tryToAdmit(states: States, waiter: Waiter, input: RoundInput, now: number, round: Round): boolean {
  const turn = turnIn(states, waiter);
  const fits = waiter.demands.every((demand) => {
    const state = stateOf(states, demand);
    const need = demand.amount * (1 + othersBefore(state, demand, input, turn));
    return checkFit(state, demand, need, now, heldOf(demand, input)).fits;
  });
  return fits && admit(states, waiter, input, now, round);
}

function admit(states: States, waiter: Waiter, input: RoundInput, now: number, round: Round): true {
  const turn = turnIn(states, waiter);
  const reservationId = input.newReservationId();
  const { milliseconds, isAnnounced } = waiter.sending;
  const until = now + input.readyMilliseconds + milliseconds;
  for (const [subject, state] of states) {
    const demands = waiter.demands.filter((demand) => demand.subject === subject);
    for (const demand of demands) noteProbe(state, demand, now);
    reserve(state, { id: reservationId, until, ...(isAnnounced ? { stage: "announced" } : {}) }, demands);
    if (turn === null) passTurn(state, input.queue);
    else leaveTurn(state, turn);
  }
  const near = nearlyUsed(states, waiter.demands);
  round.admitted.push({ waiter, reservationId, ...(near === null ? {} : { near }) });
  round.changed = true;
  return true;
}

/**
 * The earliest time at which this call can be admitted if all calls before it are, and the limit it waits for until then. Of
 * limits that are free at the same time, it names the one that is not free now or that is kept for others.
 */
function earliest(
  states: States,
  waiter: Waiter,
  before: ReadonlyMap<string, number>,
  input: RoundInput,
  now: number,
): { at: number; by: Demand; isFree: boolean } {
  let found: { at: number; by: Demand; isFree: boolean } | null = null;
  const turn = turnIn(states, waiter);
  for (const demand of waiter.demands) {
    const state = stateOf(states, demand);
    const need = demand.amount + (before.get(keyOf(demand)) ?? 0);
    const { fits, at } = checkFit(state, demand, need, now, heldOf(demand, input));
    const isFree = fits && !isKeptForOthers(state, demand, input, now, turn);
    if (!found || at > found.at || (at === found.at && found.isFree && !isFree)) found = { at, by: demand, isFree };
  }
  return found as { at: number; by: Demand; isFree: boolean };
}

function isKeptForOthers(
  state: SubjectState,
  demand: Demand,
  input: RoundInput,
  now: number,
  turn: string | null,
): boolean {
  const others = othersBefore(state, demand, input, turn);
  return others > 0 && !checkFit(state, demand, demand.amount * (1 + others), now, heldOf(demand, input)).fits;
}

/** The pause until the limit is free. If another call has to end or to be admitted first, a little longer. */
function pauseBefore(states: States, waiter: Waiter, input: RoundInput, now: number): number {
  const { at, by } = earliest(states, waiter, new Map(), input, now);
  const turn = turnIn(states, waiter);
  const isFirst = waiter.demands.every((demand) => othersBefore(stateOf(states, demand), demand, input, turn) === 0);
  if (isFirst && at > now) return at - now;
  const { reservations } = stateOf(states, by);
  // This process learns at once when one of its own calls ends.
  if (isFirst && by.kind !== "reported" && reservations.every(({ id }) => processOf(id) === processOf(input.queue)))
    return pauseLongest;
  return at - now + pauseLeast + input.random() * (pauseMost - pauseLeast);
}

/** Writes what systems reported to this process into the rows. Returns whether that changed anything. */
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
    const demands = settlement.demands.filter((demand) => demand.subject === subject);
    const reports = settlement.reports
      .filter((each) => each.subject === subject)
      .map((each) => (each.resetsAt ? { ...each, resetsAt: new Date(each.resetsAt.getTime() + shift) } : each));
    for (const demand of demands) recordOf(state, demand, now);
    const amounts = Object.fromEntries(demands.map(({ name, amount }) => [name, amount]));
    const { reservationId: id, outcome, atWorkMilliseconds } = settlement;
    settle(state, { id, outcome, reports, at: now, amounts });
    if (atWorkMilliseconds > 0) keepSlotUntil(state, id, amounts, now + atWorkMilliseconds);
  }
}

function startIn(states: States, { reservationId, milliseconds }: SendStart, now: number): boolean {
  const reservations = [...states.values()].flatMap((state) =>
    state.reservations.filter(({ id }) => id === reservationId),
  );
  // Another node took this process for dead meanwhile, or the call took too long.
  if (reservations.length < states.size) return false;
  for (const reservation of reservations) Object.assign(reservation, { stage: "sent", until: now + milliseconds });
  return true;
}
