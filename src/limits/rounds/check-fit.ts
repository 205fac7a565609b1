import type { LimitRecord, SubjectState, WindowRecord } from "../state/limit-row.ts";
import { doubtfulOf, endedOf, recordOf, reservedOf, windowMilliseconds } from "../state/reservations.ts";
import type { KeyedDemand } from "../state/row-keys.ts";

/** Whether a call fits into a limit, and when it can. */
export interface Fit {
  fits: boolean;
  /** The earliest time at which it can fit. Not later than now if that depends on calls under way. */
  at: number;
}

/**
 * Whether `need` of the limit is free, and when it can be, in a state that `expire` has brought to `now`. `held` is
 * what calls hold beyond the state.
 */
export function checkFit(state: SubjectState, demand: KeyedDemand, need: number, now: number, held = 0): Fit {
  const record = recordOf(state, demand, now);
  const reserved = reservedOf(state, demand.name) - doubtfulOf(state, demand.name) + held;
  const weighed = fitOfRecord(record, reserved, need, now);
  if (record.pausedUntil <= now) return weighed;
  return { fits: false, at: Math.max(weighed.at, record.pausedUntil) };
}

function fitOfRecord(record: LimitRecord, reserved: number, wanted: number, now: number): Fit {
  const max = Math.max(1, record.max ?? Number.MAX_SAFE_INTEGER);
  switch (record.kind) {
    case "window":
      return fitInWindow(record, max, reserved, wanted, now);
    case "concurrent":
      return { fits: reserved + wanted <= max, at: now };
    case "calendar": {
      if (record.isAssumed) return { fits: true, at: now };
      // An estimate above the whole quota may take the whole quota.
      const need = Math.min(wanted, max);
      if (record.used + need > max) return { fits: false, at: record.to };
      return { fits: record.used + reserved + need <= max, at: now };
    }
    case "reported": {
      if (record.resetsAt <= now && record.max === null) {
        const { probeUntil = 0 } = record;
        return reserved > 0 && probeUntil > now ? { fits: false, at: probeUntil } : { fits: true, at: now };
      }
      if (record.resetsAt <= now) return { fits: reserved + wanted <= max, at: now };
      if (record.remaining < wanted) return { fits: false, at: record.resetsAt };
      return { fits: record.remaining - reserved >= wanted, at: now };
    }
  }
}

function fitInWindow(record: WindowRecord, max: number, reserved: number, need: number, now: number): Fit {
  const length = windowMilliseconds(record);
  const fullWindows = Math.floor((need - 1) / max);
  let excess = endedOf(record) + reserved + (need - fullWindows * max) - max;
  if (excess <= 0) return { fits: fullWindows === 0, at: now + fullWindows * length };
  for (const { at, count } of record.ended) {
    excess -= count;
    if (excess <= 0) return { fits: false, at: at + length * (fullWindows + 1) };
  }
  // Only calls under way can make room: their answers come now at the earliest.
  return { fits: false, at: now + length * (fullWindows + 1) };
}

/**
 * "Limits told by the vendor cannot be overrun before anything is known": one call is sent to learn the limit, over all
 * nodes. If its answer takes long, a further one is sent every second, so that one slow call does not stop all others.
 */
const probeMilliseconds = 1000;
/** Whether the limit is one that the system reports, and it has not reported it yet. */
export function isUnknown(state: SubjectState, demand: KeyedDemand, now: number): boolean {
  const record = recordOf(state, demand, now);
  return record.kind === "reported" && record.max === null && record.resetsAt <= now;
}

/** A call is admitted. If nothing is known of a limit, its answer will say it. */
export function noteProbe(state: SubjectState, demand: KeyedDemand, now: number): void {
  if (!isUnknown(state, demand, now)) return;
  Object.assign(recordOf(state, demand, now), { probeUntil: now + probeMilliseconds });
}
