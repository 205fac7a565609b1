import type { ReportedLimit } from "../../systems/define.ts";
import { resetAfter } from "./calendar.ts";
import {
  freshRecord,
  type LimitRecord,
  type ReportedRecord,
  type Reservation,
  type SubjectState,
  type WindowRecord,
} from "./limit-row.ts";
import { processOf } from "./node-turns.ts";
import { halfOf, isPart, type KeyedDemand } from "./row-keys.ts";

/**
 * The system counts a call at some moment between sending and answer. So a reservation is held from admission until one
 * window after the answer: whichever moment counts, no window of the system holds too many. The margin covers clock
 * drift: 500 ppm moves 20 s by 10 ms.
 */
export const marginMilliseconds = 50;

export const windowMilliseconds = (record: WindowRecord): number => record.windowSeconds * 1000 + marginMilliseconds;

/** What calls under way hold of a limit. The slot of a doubtful one is held by the call that tries it. */
export const reservedOf = (state: SubjectState, name: string): number =>
  state.reservations.reduce((sum, { amounts, triedBy }) => sum + (triedBy === undefined ? (amounts[name] ?? 0) : 0), 0);

export const endedOf = (record: WindowRecord): number => record.ended.reduce((sum, { count }) => sum + count, 0);

/** No period is longer than a day of 25 hours. */
const periodMax = 25 * 3_600_000;

/** Brings the state to this moment: removes what has expired. */
export function expire(state: SubjectState, now: number): void {
  // The call of a dead process arrived at some unknown moment, at the latest when its reservation expired.
  for (const reservation of state.reservations.filter(({ until }) => until <= now))
    settle(state, { id: reservation.id, outcome: "arrived", at: reservation.until });
  state.turns = state.turns.filter(({ until }) => until > now);
  for (const record of state.limits.values()) {
    if (record.kind === "window") {
      record.ended = record.ended.filter(({ at }) => at + windowMilliseconds(record) > now);
      // Otherwise a shared row would keep a part for every organization that ever called.
      if (isPart(record.name) && usedOf(state, record) === 0) state.limits.delete(record.name);
    }
    // A process that had not noticed yet that its clock was set wrote the row.
    const latest = now + periodMax + sameReset;
    if (record.pausedUntil > latest) record.pausedUntil = 0;
    if (record.kind === "reported" && record.resetsAt > latest) record.resetsAt = now;
    if (record.kind !== "calendar") continue;
    if (now >= record.to) {
      record.used = 0;
      record.to = resetAfter(record.resets, now);
    } else if (record.to > now + periodMax) {
      // The row was written by a clock that was wrong.
      record.to = resetAfter(record.resets, now);
    }
  }
}

/** The record of a demand. What the demand says of the limit is newer than the row. */
export function recordOf(state: SubjectState, demand: KeyedDemand, now: number): LimitRecord {
  let record = state.limits.get(demand.name);
  if (record?.kind !== demand.kind) {
    record = freshRecord(demand);
    if (record.kind === "calendar") record.to = resetAfter(record.resets, now);
    state.limits.set(demand.name, record);
  }
  if (demand.max !== null) record.max = demand.max;
  if (demand.partOf !== undefined && record.kind === "window") record.max = shareOf(state, record, demand.partOf);
  if (record.kind === "window") record.windowSeconds = demand.windowSeconds ?? record.windowSeconds;
  if (record.kind === "calendar") {
    if (demand.isAssumed) record.isAssumed = true;
    else delete record.isAssumed;
  }
  return record;
}

/** Some systems report nothing. Then they are asked again after this time. */
const untoldMilliseconds = 60_000;
const unlimited = Number.MAX_SAFE_INTEGER;
const isUntold = ({ remaining }: { remaining: number }): boolean => remaining > unlimited / 2;

const usedOf = (state: SubjectState, record: WindowRecord): number => endedOf(record) + reservedOf(state, record.name);

/**
 * Half of what the others leave. An organization alone gets half of the limit; two that take all they get have a third
 * each, and a third is free for the next.
 */
function shareOf(state: SubjectState, part: WindowRecord, partOf: string): number {
  const whole = state.limits.get(partOf);
  if (whole?.kind !== "window") return part.max;
  const others = usedOf(state, whole) - usedOf(state, part);
  return halfOf(whole.max - others);
}

/** Reserves the amounts of an admitted call. If that is too much, the call tries a doubtful slot. */
export function reserve(
  state: SubjectState,
  reservation: Pick<Reservation, "id" | "until" | "stage">,
  demands: readonly KeyedDemand[],
): void {
  const amounts = Object.fromEntries(demands.map(({ name, amount }) => [name, amount]));
  state.reservations.push({ ...reservation, amounts });
  for (const { name } of demands) {
    const record = state.limits.get(name);
    if (record?.kind !== "concurrent" || reservedOf(state, name) <= record.max) continue;
    const doubtful = findDoubtful(state, name);
    if (doubtful) doubtful.triedBy = reservation.id;
  }
}

/**
 * The slot of a read whose process died stays taken while the system may work on it. Only the system knows whether it does,
 * so one call at a time tries such a slot: an answer shows that it was free, a refusal that it is not.
 */
function findDoubtful({ reservations }: SubjectState, name: string): Reservation | undefined {
  let first: Reservation | undefined;
  for (const each of reservations) {
    if (each.stage !== "doubtful" || each.amounts[name] === undefined) continue;
    if (each.triedBy !== undefined) return undefined;
    first ??= each;
  }
  return first;
}

/** What a call may try although it is reserved. */
export const doubtfulOf = (state: SubjectState, name: string): number => findDoubtful(state, name)?.amounts[name] ?? 0;

/**
 * Releases what a dead process holds, except calls that the system may still work on. A call that was announced and not
 * sent counts as never sent; the others count as arrived, and their concurrent slots are doubtful. Returns whether it
 * released anything.
 */
export function releaseDeadReservations(
  state: SubjectState,
  isDead: (process: string) => boolean,
  now: number,
): boolean {
  const { reservations, turns } = state;
  const isReleased = ({ id, stage }: Reservation) => stage !== "sent" && stage !== "doubtful" && isDead(processOf(id));
  const dead = reservations.filter(isReleased);
  for (const { id, stage, amounts, until } of dead) {
    settle(state, { id, outcome: stage === "announced" ? "never sent" : "arrived", at: now });
    if (stage === undefined && until > now) keepConcurrent(state, { id, until, stage: "doubtful", amounts });
  }
  state.turns = turns.filter(({ queue }) => !isDead(processOf(queue)));
  return dead.length > 0 || state.turns.length < turns.length;
}

interface EndedCall {
  id: string;
  outcome: "arrived" | "never sent";
  reports?: readonly ReportedLimit[];
  at: number;
  /** The amounts of the call, if its reservation has expired. */
  amounts?: Readonly<Record<string, number>>;
}

/** Ends a call: its answer came at `at`, or it was never sent and releases everything. */
export function settle(state: SubjectState, { id, outcome, reports = [], at, amounts = {} }: EndedCall): void {
  // Everything but the slot of a doubtful one was counted when its process was declared dead.
  const reservation = state.reservations.find((each) => each.id === id && each.stage !== "doubtful");
  state.reservations = state.reservations.filter((each) => each.id !== id);
  settleTried(state, id, outcome === "arrived" && !reports.some(({ remaining }) => remaining <= 0));
  if (outcome === "never sent") return;
  for (const [name, amount] of Object.entries(reservation?.amounts ?? amounts)) {
    const record = state.limits.get(name);
    const news = reports.find((each) => each.name === name);
    if (record) count(record, amount, reservation !== undefined, news, at);
  }
  for (const news of reports) pauseUsedUp(state, reservation?.amounts ?? amounts, news, at);
}

/**
 * "A place whose call may still be at work at the vendor is freed when that call's own deadline is over." Everything
 * else of the call is counted already.
 */
export function keepSlotUntil(
  state: SubjectState,
  id: string,
  amounts: Readonly<Record<string, number>>,
  until: number,
): void {
  keepConcurrent(state, { id, until, stage: "sent", amounts });
}

function keepConcurrent(state: SubjectState, { amounts, ...reservation }: Reservation): void {
  const kept = Object.entries(amounts).filter(([name]) => state.limits.get(name)?.kind === "concurrent");
  if (kept.length > 0) state.reservations.push({ ...reservation, amounts: Object.fromEntries(kept) });
}

/** The call that tried a doubtful slot has ended: the slot was free, or it is still doubtful. */
function settleTried(state: SubjectState, id: string, wasFree: boolean): void {
  if (wasFree) state.reservations = state.reservations.filter(({ triedBy }) => triedBy !== id);
  else for (const each of state.reservations) if (each.triedBy === id) delete each.triedBy;
}

function count(
  record: LimitRecord,
  amount: number,
  isReserved: boolean,
  news: ReportedLimit | undefined,
  at: number,
): void {
  // A call that outlived its reservation was counted when that expired. It may have arrived since, so it counts once
  // more.
  if (record.kind === "window") addEnded(record, amount, at);
  if (record.kind === "calendar") {
    record.used += (news?.taken ?? amount) - (isReserved ? 0 : amount);
    // Other programs use the same quota: if the system says that less is left, the system is right.
    if (news?.usedSoFar !== undefined) record.used = Math.max(record.used, news.usedSoFar);
    else if (news) record.used = Math.max(record.used, record.max - news.remaining);
  }
  if (record.kind === "reported") {
    if (!news?.resetsAt && record.max === null && record.resetsAt <= at)
      Object.assign(record, { remaining: unlimited, resetsAt: at + untoldMilliseconds });
    if (!news) record.remaining -= amount;
  }
}

/** Answers within a thousandth of the window share one entry, at its end, so the row stays short. */
function addEnded(record: WindowRecord, amount: number, at: number): void {
  const last = record.ended.at(-1);
  if (last && last.at >= at && last.at - at <= record.windowSeconds) last.count += amount;
  else record.ended.push({ at: at + record.windowSeconds, count: amount });
  if (last && last.at > at) record.ended.sort((one, other) => one.at - other.at);
}

/** A limit that the system reports as used up pauses all calls that need it, on every node, until the reset. */
function pauseUsedUp(
  state: SubjectState,
  amounts: Readonly<Record<string, number>>,
  news: ReportedLimit,
  at: number,
): void {
  const record = state.limits.get(news.name);
  if (record?.kind === "reported") learn(record, news);
  const until = news.resetsAt?.getTime() ?? 0;
  if (news.remaining > 0 || until <= at || record?.kind === "reported") return;
  // An unknown name means the whole subject: every limit that the refused call counted against.
  const paused = record ? [record] : Object.keys(amounts).flatMap((name) => state.limits.get(name) ?? []);
  for (const each of paused) each.pausedUntil = Math.max(each.pausedUntil, until);
}

/** Resets are reported to the second; a later one belongs to the next period. Answers may arrive in any order. */
const sameReset = 1000;

/** Returns whether the report changed the record. */
export function learn(record: ReportedRecord, news: Pick<ReportedLimit, "remaining" | "max" | "resetsAt">): boolean {
  const resetsAt = news.resetsAt?.getTime() ?? record.resetsAt;
  const isNext = resetsAt >= record.resetsAt + sameReset || (isUntold(record) && !isUntold(news));
  const isLess = resetsAt > record.resetsAt - sameReset && news.remaining < record.remaining;
  // Nothing is left, and some of the limit is free before all of it is.
  const isUsedUp = resetsAt < record.resetsAt && news.remaining === 0 && record.remaining > 0;
  if (!isNext && !isLess && !isUsedUp) return false;
  record.remaining = news.remaining;
  if (isNext || isUsedUp) record.resetsAt = resetsAt;
  if (news.max !== undefined) record.max = news.max;
  return true;
}
