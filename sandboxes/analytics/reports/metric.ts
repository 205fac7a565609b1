import type { EventSet } from "../events/event-set.ts";
import { type EventName, eventCode, eventNames } from "../events/site.ts";
import type { Primitive } from "./primitives.ts";

export type MetricType =
  | "TYPE_INTEGER"
  | "TYPE_FLOAT"
  | "TYPE_SECONDS"
  | "TYPE_MILLISECONDS"
  | "TYPE_CURRENCY"
  | "TYPE_STANDARD";

/** A key event as a report counts it: from the moment it was marked, by its counting method. */
export interface CountedKeyEvent {
  eventName: string;
  countingMethod: string;
  sinceDay: number;
  sinceSecond: number;
}

export interface MetricContext {
  keyEvents: CountedKeyEvent[];
}

export interface Metric {
  apiName: string;
  uiName: string;
  category: string;
  description: string;
  type: MetricType;
  deprecatedApiNames?: string[];
  isCustom?: true;
  needs: (context: MetricContext) => Primitive[];
  /** The value out of the counts, in the order of `needs`. */
  value: (counts: number[]) => number;
  scope?: "item" | "item event" | "cohort" | "rolling" | "advertiser" | "search console";
  restricted?: "REVENUE_DATA" | "COST_DATA";
}

const everything = () => null;
const named = (name: EventName) => (set: EventSet) => {
  const code = eventCode(name);
  return (event: number) => set.events.name[event] === code;
};

export const allEvents: Primitive = { key: "events", counts: { kind: "events", when: everything } };
export const allSessions: Primitive = { key: "sessions", counts: { kind: "sessions", when: everything } };
export const allUsers: Primitive = { key: "users", counts: { kind: "users", when: everything } };

/** Who has an engaged session or came for the first time counts as active. */
export const isActive = (set: EventSet) => {
  const { session } = set.events;
  const { isEngaged, isNew } = set.sessions;
  return (event: number) => {
    const own = session[event] ?? 0;
    return isEngaged[own] === 1 || isNew[own] === 1;
  };
};
export const activeUsers: Primitive = { key: "active users", counts: { kind: "users", when: isActive } };
export const engagedSessions: Primitive = {
  key: "engaged sessions",
  counts: {
    kind: "sessions",
    when: (set) => (event) => set.sessions.isEngaged[set.events.session[event] ?? 0] === 1,
  },
};

export const eventsNamed = (name: EventName): Primitive => ({
  key: `events ${name}`,
  counts: { kind: "events", when: named(name) },
});
export const usersWith = (name: EventName): Primitive => ({
  key: `users ${name}`,
  counts: { kind: "users", when: named(name) },
});

/** Sums a column over the events with this name. */
export function sumOf(column: "cents" | "quantity", name: EventName): Primitive {
  const code = eventCode(name);
  return {
    key: `sum ${column} ${name}`,
    counts: {
      kind: "sum",
      of: ({ events }) => {
        const values = column === "quantity" ? events.quantity : events.cents;
        return (event) => (events.name[event] === code ? (values[event] ?? 0) : 0);
      },
    },
  };
}

export const sessionSum = (
  column: "seconds" | "impressions" | "costCents" | "position",
  only: "ads" | "search" | null,
): Primitive => ({
  key: `session sum ${column} ${only}`,
  counts: {
    kind: "session sum",
    of: ({ sessions }) => {
      const values = sessions[column];
      // A click that was paid for has a cost; a search result was shown and has none.
      if (only === "ads") return (session) => ((sessions.costCents[session] ?? 0) > 0 ? (values[session] ?? 0) : 0);
      if (only === "search") return (session) => (sessions.costCents[session] === 0 ? (values[session] ?? 0) : 0);
      return (session) => values[session] ?? 0;
    },
  },
});

function isKeyEvent(keyEvent: CountedKeyEvent) {
  const code = eventNames.indexOf(keyEvent.eventName as EventName);
  return ({ events, sessions }: EventSet) =>
    (event: number) => {
      if (events.name[event] !== code) return false;
      const day = sessions.day[events.session[event] ?? 0] ?? 0;
      return (
        day > keyEvent.sinceDay || (day === keyEvent.sinceDay && (events.second[event] ?? 0) >= keyEvent.sinceSecond)
      );
    };
}

/** How often a key event happened: each time, or once a session. */
export const keyEventCount = (keyEvent: CountedKeyEvent): Primitive => ({
  key: `key event ${keyEvent.eventName}`,
  counts: { kind: keyEvent.countingMethod === "ONCE_PER_SESSION" ? "sessions" : "events", when: isKeyEvent(keyEvent) },
});

export function withKeyEvent(kind: "sessions" | "users", keyEvents: CountedKeyEvent[]): Primitive {
  return {
    key: `${kind} with ${keyEvents.map((each) => each.eventName).join()}`,
    counts: {
      kind,
      when: (set) => {
        const tests = keyEvents.map((each) => isKeyEvent(each)(set));
        return (event) => tests.some((test) => test(event));
      },
    },
  };
}

export const rollingUsers = (days: number): Primitive => ({
  key: `rolling ${days}`,
  counts: { kind: "rolling users", days },
});
export const ratio = ([part = 0, whole = 0]: number[]): number => (whole === 0 ? 0 : part / whole);
export const first = ([value = 0]: number[]): number => value;
export const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
export const euros = (values: number[]): number => first(values) / 100;
export const euroRatio = (values: number[]): number => ratio(values) / 100;
