import type { LimitRecord, SubjectState } from "../state/limit-row.ts";
import { isSharedByAll } from "../state/row-keys.ts";

/** A limit that is used up, and when it resets. */
export interface Exhausted {
  subject: string;
  name: string;
  until: number;
}

/** A limit that is free again within a minute is normal; only longer ones are announced. */
const worthAnnouncing = 60_000;

/**
 * Limits that are used up for long. Each is returned once until its reset, on whichever node: the row remembers it.
 * `short` names quotas with too little left for a call.
 */
export function newlyExhausted(
  subject: string,
  state: SubjectState,
  now: number,
  short: ReadonlySet<string>,
): Exhausted[] {
  // A limit that all organizations share belongs to none of them, so no project is informed.
  if (isSharedByAll(subject)) return [];
  for (const [name, until] of state.announced) if (until <= now) state.announced.delete(name);
  const found: Exhausted[] = [];
  for (const record of state.limits.values()) {
    const until = usedUpUntil(record, now, short.has(record.name));
    if (until - now < worthAnnouncing || state.announced.has(record.name)) continue;
    state.announced.set(record.name, until);
    found.push({ subject, name: record.name, until });
  }
  return found;
}

function usedUpUntil(record: LimitRecord, now: number, isShort: boolean): number {
  if (record.pausedUntil > now) return record.pausedUntil;
  if (record.kind === "calendar") return isShort || (record.used >= record.max && !record.isAssumed) ? record.to : now;
  if (record.kind === "reported") return record.resetsAt > now && record.remaining <= 0 ? record.resetsAt : now;
  return now;
}
