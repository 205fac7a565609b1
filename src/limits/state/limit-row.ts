import type { Demand } from "../../systems/define.ts";
import type { Resets } from "./calendar.ts";
import { elapsedBetween, type Moment } from "./clock.ts";

/** Calls that were answered at this time. They count for one more window. */
export interface Ended {
  at: number;
  count: number;
}

interface Named {
  name: string;
  /** The system refused a call: no call is sent before this time. */
  pausedUntil: number;
}
export type WindowRecord = Named & { kind: "window"; max: number; windowSeconds: number; ended: Ended[] };
export type ConcurrentRecord = Named & { kind: "concurrent"; max: number };
/** `to` is the next reset. Reservations of calls under way are not in `used`. */
export type CalendarRecord = Named & {
  kind: "calendar";
  max: number;
  resets: Resets;
  to: number;
  used: number;
  /** Nobody has said how large the quota is: `max` is the least that the system gives, and refuses nothing. */
  isAssumed?: boolean;
};
export type ReportedRecord = Named & {
  kind: "reported";
  max: number | null;
  remaining: number;
  resetsAt: number;
  /** While nothing is known: a call was sent to learn it, and no other is before this time. */
  probeUntil?: number;
};
export type LimitRecord = WindowRecord | ConcurrentRecord | CalendarRecord | ReportedRecord;

/** A call under way. It holds its amounts until its answer, or until it expires. */
export interface Reservation {
  id: string;
  until: number;
  amounts: Record<string, number>;
  /**
   * What is known of a call whose process died. "announced": it reports before it is sent, and has not yet. "sent": the
   * system may work on it until it expires. "doubtful": a read whose process died; the system may work on it until it
   * expires, or not. Without a stage it is a read, whose outcome does not matter.
   */
  stage?: "announced" | "sent" | "doubtful";
  /** The call that tries the slot of a doubtful one, and holds it meanwhile. */
  triedBy?: string;
}

/** A queue of some process with waiting calls, and the limit it waits for. */
export interface Turn {
  queue: string;
  limit: string;
  until: number;
}

/** All limits of one external account, property or group: one row of the store. */
export interface SubjectState {
  limits: Map<string, LimitRecord>;
  reservations: Reservation[];
  turns: Turn[];
  /** Limits that were announced as used up, by name, with the time until which they are not announced again. */
  announced: Map<string, number>;
}

/** The states of some subjects. */
export type States = ReadonlyMap<string, SubjectState>;

export const emptyState = (): SubjectState => ({
  limits: new Map(),
  reservations: [],
  turns: [],
  announced: new Map(),
});

/** The record of a demand that nothing is known of. */
export function freshRecord(demand: Demand): LimitRecord {
  const { name } = demand;
  const max = demand.max ?? Number.MAX_SAFE_INTEGER;
  switch (demand.kind) {
    case "window":
      return { name, pausedUntil: 0, kind: "window", max, windowSeconds: demand.windowSeconds ?? 60, ended: [] };
    case "concurrent":
      return { name, pausedUntil: 0, kind: "concurrent", max };
    case "calendar":
      return { name, pausedUntil: 0, kind: "calendar", max, resets: demand.resets ?? "hourly", to: 0, used: 0 };
    case "reported":
      return { name, pausedUntil: 0, kind: "reported", max: demand.max, remaining: max, resetsAt: 0 };
  }
}

/*
 * The format of the row, kept short because it is written with every call. Times are stored as distances from the
 * moment of writing, so that a clock that was set in between moves none of them; only the end of a calendar period is
 * absolute.
 */
type LimitText =
  | ["w", string, number, number, number, number[]]
  | ["n", string, number, number]
  | ["c", string, number, number, Resets, number, number, assumed?: 1]
  | ["t", string, number, number | null, number, number, probe?: number];
interface StateText {
  at: [number, number | null];
  l: LimitText[];
  /** Id, time left, and amounts in the order of the limits above. */
  f: [string, number, ...number[]][];
  q: [string, string, number][];
  /** Rarely present. */
  x?: [string, number][];
}

export function momentOf(text: string): Moment {
  const [wall, steady] = (JSON.parse(text) as StateText).at;
  return { wall, steady };
}

/** All times of the returned state are relative to the clock of `now.wall`. */
export function readState(text: string, now: Moment): SubjectState {
  const { at, l, f, q, x = [] } = JSON.parse(text) as StateText;
  const written = now.wall - elapsedBetween({ wall: at[0], steady: at[1] }, now);
  const limits = l.map((limit) => readLimit(limit, written));
  const names = limits.map((limit) => limit.name);
  const amountsOf = (amounts: number[]): Record<string, number> =>
    Object.fromEntries(names.map((name, index) => [name, amounts[index] ?? 0] as const).filter(([, amount]) => amount));
  return {
    limits: new Map(limits.map((limit) => [limit.name, limit])),
    reservations: f.map(([marked, left, ...amounts]) => ({
      ...readMarked(marked),
      until: written + left,
      amounts: amountsOf(amounts),
    })),
    turns: q.map(([queue, limit, left]) => ({ queue, limit, until: written + left })),
    announced: new Map(x.map(([name, left]) => [name, written + left])),
  };
}

/** Appended to the id, so that a version of the program without stages can keep it. */
const stageMarks = { announced: "?", sent: "!" } as const;
/** Before the id of the call that tries it. */
const doubtMark = "~";

function readMarked(marked: string): Pick<Reservation, "id" | "stage" | "triedBy"> {
  const [id = "", triedBy] = marked.split(doubtMark);
  if (triedBy !== undefined) return { id, stage: "doubtful", ...(triedBy !== "" && { triedBy }) };
  if (marked.endsWith(stageMarks.announced)) return { id: marked.slice(0, -1), stage: "announced" };
  if (marked.endsWith(stageMarks.sent)) return { id: marked.slice(0, -1), stage: "sent" };
  return { id: marked };
}

function writeMarked({ id, stage, triedBy = "" }: Reservation): string {
  if (stage === undefined) return id;
  return stage === "doubtful" ? `${id}${doubtMark}${triedBy}` : `${id}${stageMarks[stage]}`;
}

function readLimit(limit: LimitText, written: number): LimitRecord {
  const [, name, pause] = limit;
  const pausedUntil = pause === 0 ? 0 : written + pause;
  switch (limit[0]) {
    case "w":
      return {
        name,
        pausedUntil,
        kind: "window",
        max: limit[3],
        windowSeconds: limit[4],
        ended: pairs(limit[5], written),
      };
    case "n":
      return { name, pausedUntil, kind: "concurrent", max: limit[3] };
    case "c":
      return {
        name,
        pausedUntil,
        kind: "calendar",
        max: limit[3],
        resets: limit[4],
        to: limit[5],
        used: limit[6],
        ...(limit[7] === 1 ? { isAssumed: true } : {}),
      };
    case "t":
      return {
        name,
        pausedUntil,
        kind: "reported",
        max: limit[3],
        remaining: limit[4],
        resetsAt: written + limit[5],
        ...(limit[6] === undefined ? {} : { probeUntil: written + limit[6] }),
      };
  }
}

function pairs(flat: number[], written: number): Ended[] {
  const ended: Ended[] = [];
  for (let index = 0; index < flat.length; index += 2) {
    ended.push({ at: written - (flat[index] ?? 0), count: flat[index + 1] ?? 0 });
  }
  return ended;
}

export function writeState(state: SubjectState, now: Moment): string {
  const limits = [...state.limits.values()];
  const text: StateText = {
    at: [now.wall, now.steady],
    l: limits.map((limit) => writeLimit(limit, now.wall)),
    f: state.reservations.map((reservation) => [
      writeMarked(reservation),
      reservation.until - now.wall,
      ...limits.map((limit) => reservation.amounts[limit.name] ?? 0),
    ]),
    q: state.turns.map(({ queue, limit, until }) => [queue, limit, until - now.wall]),
  };
  if (state.announced.size > 0) text.x = [...state.announced].map(([name, until]) => [name, until - now.wall]);
  return JSON.stringify(text);
}

function writeLimit(limit: LimitRecord, now: number): LimitText {
  const pause = Math.max(0, limit.pausedUntil - now);
  switch (limit.kind) {
    case "window": {
      const ended = limit.ended.flatMap(({ at, count }) => [now - at, count]);
      return ["w", limit.name, pause, limit.max, limit.windowSeconds, ended];
    }
    case "concurrent":
      return ["n", limit.name, pause, limit.max];
    case "calendar":
      return limit.isAssumed
        ? ["c", limit.name, pause, limit.max, limit.resets, limit.to, limit.used, 1]
        : ["c", limit.name, pause, limit.max, limit.resets, limit.to, limit.used];
    case "reported": {
      const { name, max, remaining, resetsAt, probeUntil = 0 } = limit;
      return probeUntil > now
        ? ["t", name, pause, max, remaining, resetsAt - now, probeUntil - now]
        : ["t", name, pause, max, remaining, resetsAt - now];
    }
  }
}
