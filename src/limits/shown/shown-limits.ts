import type { LimitRecord, SubjectState } from "../state/limit-row.ts";
import { endedOf, reservedOf, windowMilliseconds } from "../state/reservations.ts";
import type { Waiting } from "../waiting/shared-waiters.ts";

/** Who sees the limits. */
export interface Viewer {
  organizationId: string;
  /** Waiting calls of this project are listed; those of the organization's other projects are counted. */
  projectId: string;
}

/** One limit as people see it. */
export interface LimitState {
  subject: string;
  name: string;
  kind: LimitRecord["kind"];
  /** Of a window that slides. */
  window_seconds: number | null;
  max: number | null;
  /** Nobody has said how large it is; `max` is the least that the system gives. */
  assumed: boolean;
  used: number;
  /** What calls under way hold; part of `used`. */
  reserved: number;
  left: number | null;
  resets_at: string | null;
  /** Waiting calls of this project. */
  waiting: { caller: string; since: string; run_id: string }[];
  waiting_others: number;
}

export type Measured = Omit<LimitState, "subject" | "name" | "waiting" | "waiting_others">;

/** In a state that `expire` has brought to `now`; `held` is what calls hold beyond the state. */
export function measure(state: SubjectState, record: LimitRecord, now: number, held = 0): Measured {
  const reserved = reservedOf(state, record.name) + held;
  const { max, used, freeAt } = measureRecord(record, reserved, now);
  const isPaused = record.pausedUntil > now;
  const resetsAt = Math.max(freeAt ?? 0, isPaused ? record.pausedUntil : 0);
  return {
    kind: record.kind,
    window_seconds: record.kind === "window" ? record.windowSeconds : null,
    max,
    assumed: record.kind === "calendar" && record.isAssumed === true,
    used,
    reserved,
    left: max === null ? null : isPaused ? 0 : Math.max(0, max - used),
    resets_at: resetsAt > 0 ? new Date(resetsAt).toISOString() : null,
  };
}

/** `freeAt` is the reset, or for a sliding window the time of the next free unit. */
function measureRecord(
  record: LimitRecord,
  reserved: number,
  now: number,
): { max: number | null; used: number; freeAt: number | null } {
  switch (record.kind) {
    case "window": {
      const first = record.ended[0];
      const freeAt = first ? first.at + windowMilliseconds(record) : null;
      return { max: record.max, used: endedOf(record) + reserved, freeAt };
    }
    case "concurrent":
      return { max: record.max, used: reserved, freeAt: null };
    case "calendar": {
      const used = record.used + reserved;
      // More was used than was assumed to be there: how much there is, nobody knows.
      return { max: record.isAssumed && used > record.max ? null : record.max, used, freeAt: record.to };
    }
    case "reported": {
      const isKnown = record.max !== null && record.resetsAt > now;
      const used = isKnown ? (record.max ?? 0) - record.remaining : 0;
      return { max: record.max, used: used + reserved, freeAt: isKnown ? record.resetsAt : null };
    }
  }
}

/** The waiting calls for one limit, as one project may see them. */
export function shownTo({ projectId }: Viewer, name: string, waiting: readonly Waiting[]) {
  const here = waiting.filter((each) => each.name === name);
  const own = here.filter((each) => each.projectId === projectId);
  return {
    waiting: own.map(({ caller, since, runId }) => ({ caller, since, run_id: runId })),
    waiting_others: here.length - own.length,
  };
}
