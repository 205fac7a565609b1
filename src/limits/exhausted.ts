import { isForEverybody } from "./row-keys.ts";
import type { LimitRecord, SubjectState } from "./state.ts";

/** A limit that is used up, and when it starts anew. */
export interface Exhausted {
  subject: string;
  name: string;
  until: number;
}

/** What is free again within a minute is how limits work; only more than that is worth telling anyone. */
const worthTelling = 60_000;

/**
 * Limits that are used up for long, each once until it starts anew, whichever node asks: that it was told stands in the row.
 * `short` names quotas of which too little was left for a call.
 */
export function newlyExhausted(
  subject: string,
  state: SubjectState,
  now: number,
  short: ReadonlySet<string>,
): Exhausted[] {
  // What all organizations use together is nobody's to learnReported of.
  if (isForEverybody(subject)) return [];
  for (const [name, until] of state.announced) if (until <= now) state.announced.delete(name);
  const found: Exhausted[] = [];
  for (const record of state.limits.values()) {
    const until = usedUpUntil(record, now, short.has(record.name));
    if (until - now < worthTelling || state.announced.has(record.name)) continue;
    state.announced.set(record.name, until);
    found.push({ subject, name: record.name, until });
  }
  return found;
}

function usedUpUntil(record: LimitRecord, now: number, isShort: boolean): number {
  if (record.pausedUntil > now) return record.pausedUntil;
  if (record.kind === "calendar") return isShort || record.used >= record.max ? record.to : now;
  if (record.kind === "reported") return record.resetsAt > now && record.remaining <= 0 ? record.resetsAt : now;
  return now;
}
