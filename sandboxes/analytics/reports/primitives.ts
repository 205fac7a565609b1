import type { EventSet } from "../events/event-set.ts";

type EventTest = (event: number) => boolean;

/** The few things that are counted over events; every metric is a formula over them. */
export interface Primitive {
  /** Two metrics that need the same thing share it by this key. */
  key: string;
  counts:
    | { kind: "events" | "sessions" | "users"; when: (set: EventSet) => EventTest | null }
    | { kind: "sum"; of: (set: EventSet) => (event: number) => number }
    | { kind: "session sum"; of: (set: EventSet) => (session: number) => number }
    | { kind: "rolling users"; days: number }
    | { kind: "cohort size" };
}

/** Events with the group of each; those of group -1 are passed over. */
interface GroupedEvents {
  set: EventSet;
  events: Uint32Array;
  groupIds: Int32Array;
  groupCount: number;
}

/** Counts one primitive in each group. */
export function count({ counts }: Primitive, grouped: GroupedEvents): Float64Array {
  const { set, events, groupIds, groupCount } = grouped;
  const result = new Float64Array(groupCount);
  switch (counts.kind) {
    case "events":
      countEvents(counts.when(set), events, groupIds, result);
      break;
    case "sum":
      sumEvents(counts.of(set), events, groupIds, result);
      break;
    case "sessions":
      eachSession(grouped, counts.when(set), (group) => {
        result[group] = (result[group] ?? 0) + 1;
      });
      break;
    case "session sum": {
      const of = counts.of(set);
      eachSession(grouped, null, (group, session) => {
        result[group] = (result[group] ?? 0) + of(session);
      });
      break;
    }
    case "users": {
      const seen = new PairSet(set.userCount);
      const { user } = set.sessions;
      eachSession(grouped, counts.when(set), (group, session) => {
        if (seen.add(group, user[session] ?? 0)) result[group] = (result[group] ?? 0) + 1;
      });
      break;
    }
    // The two others look beyond the events at hand and are counted by the caller.
    default:
      break;
  }
  return result;
}

function countEvents(when: EventTest | null, events: Uint32Array, groupIds: Int32Array, result: Float64Array): void {
  for (let at = 0; at < events.length; at++) {
    const group = groupIds[at] ?? -1;
    if (group >= 0 && (when === null || when(events[at] ?? 0))) result[group] = (result[group] ?? 0) + 1;
  }
}

function sumEvents(
  of: (event: number) => number,
  events: Uint32Array,
  groupIds: Int32Array,
  result: Float64Array,
): void {
  for (let at = 0; at < events.length; at++) {
    const group = groupIds[at] ?? -1;
    if (group >= 0) result[group] = (result[group] ?? 0) + of(events[at] ?? 0);
  }
}

/** Calls once for each session in each group. Events of a session lie side by side, so remembering the last one is enough. */
function eachSession(
  { set, events, groupIds, groupCount }: GroupedEvents,
  when: EventTest | null,
  call: (group: number, session: number) => void,
): void {
  const last = new Int32Array(groupCount).fill(-1);
  const { session } = set.events;
  for (let at = 0; at < events.length; at++) {
    const group = groupIds[at] ?? -1;
    const event = events[at] ?? 0;
    const own = session[event] ?? 0;
    if (group < 0 || last[group] === own || (when !== null && !when(event))) continue;
    last[group] = own;
    call(group, own);
  }
}

/** A set of (group, user) pairs: open addressing over one typed array, several times faster than a Set of numbers. */
class PairSet {
  private readonly userCount: number;
  private slots = new Float64Array(1 << 12).fill(-1);
  private size = 0;

  constructor(userCount: number) {
    this.userCount = userCount;
  }

  /** True where the pair was not there yet. */
  add(group: number, user: number): boolean {
    const pair = group * this.userCount + user;
    if (!this.put(pair)) return false;
    this.size++;
    if (this.size * 2 > this.slots.length) this.grow();
    return true;
  }

  private put(pair: number): boolean {
    const mask = this.slots.length - 1;
    let at = (Math.imul(pair | 0, 0x9e3779b1) ^ Math.imul((pair / 4294967296) | 0, 0x85ebca6b)) >>> 7;
    for (;;) {
      at &= mask;
      const there = this.slots[at];
      if (there === pair) return false;
      if (there === -1) {
        this.slots[at] = pair;
        return true;
      }
      at++;
    }
  }

  private grow(): void {
    const old = this.slots;
    this.slots = new Float64Array(old.length * 4).fill(-1);
    for (const pair of old) if (pair !== -1) this.put(pair);
  }
}
