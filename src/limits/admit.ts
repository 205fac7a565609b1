import type { ReportedLimit } from "../systems/define.ts";
import type { StepFailed } from "../systems/work.ts";
import { type Exhausted, newlyExhausted } from "./exhausted.ts";
import { keepTurn, leaveTurn, passTurn, placesForOthers, processOf } from "./node-turns.ts";
import { refusalOf } from "./refusal.ts";
import type { ToldBook } from "./reported-limits.ts";
import type { KeyedDemand as Demand } from "./row-keys.ts";
import type { SubjectState } from "./state.ts";
import { land, lapse, learn, recordOf, stayAtWork, take, weigh } from "./weigh.ts";

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
  admitted: (flightId: string) => void;
  refused: (reason: unknown) => void;
}

/** A call whose answer came, or will not come any more. */
export interface Landing {
  flightId: string;
  /** When its places come back by themselves. */
  until: number;
  demands: readonly Demand[];
  caller: Caller;
  outcome: "arrived" | "never left";
  told: readonly ReportedLimit[];
  /** How long the system may still be at it, though nobody waits for its answer. */
  atWorkMilliseconds: number;
}

/** A call that is about to leave. */
export interface Departure {
  flightId: string;
  /** From now on, its answer included. */
  milliseconds: number;
}

/** What a desk brings to the rows. */
export interface Errand {
  desk: string;
  /** What everybody at this desk wants; the amounts are each one's own. */
  demands: readonly Demand[];
  waiters: Iterable<Waiter>;
  landings: readonly Landing[];
  departures: readonly Departure[];
  book: ToldBook;
  /** This process's own time. */
  clockNow: number;
  /** What a call may take from its admission until it leaves. */
  readyMilliseconds: number;
  newFlightId(): string;
  random(): number;
}

/** What one look at the rows has brought. */
export interface Visit {
  admitted: { waiter: Waiter; flightId: string }[];
  /** Calls that the system has let in, and counted. */
  counted: Landing[];
  refused: { waiter: Waiter; reason: StepFailed }[];
  /** Of those that are about to leave: those whose places are still theirs. */
  departed: ReadonlySet<Departure>;
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
 * One look: what has landed is counted, who fits leaves in the order of the line, and who cannot have a place in time is
 * refused. It changes the states and nothing else, because a transaction may be run more than once.
 */
export function decideVisit(states: States, now: number, errand: Errand): Visit {
  const { clockNow, desk } = errand;
  const visit: Visit = {
    admitted: [],
    counted: errand.landings.filter(({ outcome }) => outcome === "arrived"),
    refused: [],
    departed: new Set(),
    changed: false,
    exhausted: [],
    blockedBy: null,
    lookAgainAfter: pauseLongest,
  };
  for (const state of states.values()) lapse(state, now);
  for (const landing of errand.landings) landIn(states, landing, now, now - clockNow);
  visit.departed = new Set(errand.departures.filter((departure) => departIn(states, departure, now)));
  visit.changed = spreadTold(states, errand, now) || errand.landings.length > 0 || errand.departures.length > 0;
  const before = new Map<string, number>();
  const short = new Set<string>();
  for (const waiter of errand.waiters) {
    if (visit.blockedBy === null && tryToTake(states, waiter, errand, now, visit)) continue;
    const { at, by: found, isFree } = earliest(states, waiter.demands, before, errand, now);
    // Where all it wants is free, it waits for what those before it in the line wait for.
    const by = isFree ? (visit.blockedBy ?? found) : found;
    const left = waiter.waitUntil - clockNow;
    if (left <= 0 || at - now > left) {
      visit.refused.push({ waiter, reason: refusalOf(by, at - now) });
      if (by.kind === "calendar") short.add(keyOf(by));
      continue;
    }
    if (visit.blockedBy === null) {
      visit.blockedBy = by;
      visit.lookAgainAfter = Math.min(pauseLongest, pauseBefore(states, waiter, errand, now));
    }
    visit.lookAgainAfter = Math.min(visit.lookAgainAfter, left);
    for (const demand of waiter.demands) before.set(keyOf(demand), (before.get(keyOf(demand)) ?? 0) + demand.amount);
  }
  for (const [subject, state] of states) {
    visit.exhausted.push(...newlyExhausted(subject, state, now, namesIn(short, subject)));
    if (visit.exhausted.length > 0) visit.changed = true;
    const limit = visit.blockedBy?.subject === subject ? visit.blockedBy.name : null;
    if (limit === null ? leaveTurn(state, desk) : keepTurn(state, desk, limit, now)) visit.changed = true;
  }
  return visit;
}

const namesIn = (keys: ReadonlySet<string>, subject: string): ReadonlySet<string> =>
  keys.size === 0
    ? keys
    : new Set([...keys].filter((key) => key.startsWith(`${subject}\n`)).map((key) => key.slice(subject.length + 1)));

const keyOf = ({ subject, name }: Demand): string => `${subject}\n${name}`;

const stateOf = (states: States, { subject }: Demand): SubjectState => states.get(subject) as SubjectState;

/** What this process's calls hold of a told limit without the row knowing. */
const heldOf = ({ subject, name, kind }: Demand, { book }: Errand): number =>
  kind === "told" ? (book.find(subject, name)?.flying ?? 0) : 0;

/** Of a quota nobody takes turns: it is there for hours, or not. */
const othersBefore = (state: SubjectState, { name, kind, max }: Demand, { desk }: Errand): number =>
  kind === "calendar" ? 0 : placesForOthers(state, desk, name, max ?? 1);

function tryToTake(states: States, waiter: Waiter, errand: Errand, now: number, visit: Visit): boolean {
  const fits = waiter.demands.every((demand) => {
    const state = stateOf(states, demand);
    const need = demand.amount * (1 + othersBefore(state, demand, errand));
    return weigh(state, demand, need, now, heldOf(demand, errand)).fits;
  });
  if (!fits) return false;
  const flightId = errand.newFlightId();
  const { milliseconds, isAnnounced } = waiter.sending;
  const until = now + errand.readyMilliseconds + milliseconds;
  for (const [subject, state] of states) {
    const demands = waiter.demands.filter((demand) => demand.subject === subject);
    take(state, { id: flightId, until, ...(isAnnounced ? { stage: "announced" } : {}) }, demands);
    passTurn(state, errand.desk);
  }
  visit.admitted.push({ waiter, flightId });
  visit.changed = true;
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
  errand: Errand,
  now: number,
): { at: number; by: Demand; isFree: boolean } {
  let found: { at: number; by: Demand; isFree: boolean } | null = null;
  for (const demand of demands) {
    const state = stateOf(states, demand);
    const need = demand.amount + (before.get(keyOf(demand)) ?? 0);
    const { fits, at } = weigh(state, demand, need, now, heldOf(demand, errand));
    const isFree = fits && !isKeptForOthers(state, demand, errand, now);
    if (!found || at > found.at || (at === found.at && found.isFree && !isFree)) found = { at, by: demand, isFree };
  }
  return found as { at: number; by: Demand; isFree: boolean };
}

function isKeptForOthers(state: SubjectState, demand: Demand, errand: Errand, now: number): boolean {
  const others = othersBefore(state, demand, errand);
  return others > 0 && !weigh(state, demand, demand.amount * (1 + others), now, heldOf(demand, errand)).fits;
}

/** Until the place is free; where somebody else must end or be served first, a little longer. */
function pauseBefore(states: States, { demands }: Waiter, errand: Errand, now: number): number {
  const { at, by } = earliest(states, demands, new Map(), errand, now);
  const isFirst = demands.every((demand) => othersBefore(stateOf(states, demand), demand, errand) === 0);
  if (isFirst && at > now) return at - now;
  const { flights } = stateOf(states, by);
  // The end of a call of this process is heard of at once.
  if (isFirst && by.kind !== "told" && flights.every(({ id }) => processOf(id) === processOf(errand.desk)))
    return pauseLongest;
  return at - now + pauseLeast + errand.random() * (pauseMost - pauseLeast);
}

/** What this process was told, and the rows do not know yet. */
function spreadTold(states: States, { demands, book, clockNow }: Errand, now: number): boolean {
  let isNews = false;
  for (const demand of demands.filter(({ kind }) => kind === "told")) {
    const known = book.find(demand.subject, demand.name)?.record;
    const record = recordOf(stateOf(states, demand), demand, now);
    if (record.kind !== "told" || !known || known.resetsAt <= clockNow) continue;
    const { remaining, max, resetsAt } = known;
    const news = { remaining, resetsAt: new Date(resetsAt + now - clockNow), ...(max === null ? {} : { max }) };
    if (learn(record, news)) isNews = true;
  }
  return isNews;
}

function landIn(states: States, landing: Landing, now: number, shift: number): void {
  for (const [subject, state] of states) {
    const asked = landing.demands.filter((demand) => demand.subject === subject);
    const told = landing.told
      .filter((each) => each.subject === subject)
      .map((each) => (each.resetsAt ? { ...each, resetsAt: new Date(each.resetsAt.getTime() + shift) } : each));
    for (const demand of asked) recordOf(state, demand, now);
    const amounts = Object.fromEntries(asked.map(({ name, amount }) => [name, amount]));
    land(state, landing.flightId, landing.outcome, told, now, amounts);
    if (landing.atWorkMilliseconds > 0) stayAtWork(state, landing.flightId, amounts, now + landing.atWorkMilliseconds);
  }
}

function departIn(states: States, { flightId, milliseconds }: Departure, now: number): boolean {
  const flights = [...states.values()].flatMap((state) => state.flights.filter(({ id }) => id === flightId));
  // It was taken for dead meanwhile, or took too long.
  if (flights.length < states.size) return false;
  for (const flight of flights) Object.assign(flight, { stage: "left", until: now + milliseconds });
  return true;
}
