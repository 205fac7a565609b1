import { type LocalTime, localTime } from "./calendar.ts";
import type { EventSet } from "./event-set.ts";
import { type EventPlan, generateEvents } from "./generate.ts";
import { type EventName, eventNames } from "./site.ts";

/** Two years are kept, today included. */
const daysKept = 731;
const scales: Record<string, number> = { "properties/1000": 1, "properties/1001": 0.3 };
const scaleOfNew = 0.5;

export interface EventSets {
  /** The events of a property as of its today; null where it collects nothing. */
  of(propertyName: string, timeZone: string, collectsSince: string | undefined, today: number): EventSet | null;
}

/** The last sets, for all sandboxes of the process: tests start very many. A set depends on its plan alone, and nothing changes it. */
const recent = new Map<string, EventSet>();
const recentMax = 3;

function eventsOf(plan: EventPlan): EventSet {
  const key = JSON.stringify(plan);
  const set = recent.get(key) ?? generateEvents(plan);
  recent.delete(key);
  recent.set(key, set);
  for (const [oldest] of recent) if (recent.size > recentMax) recent.delete(oldest);
  return set;
}

/** Keeps each property's events until its day changes. Nothing a caller does changes them, so a reset leaves them alone. */
export function createEventSets(): EventSets {
  const sets = new Map<string, EventSet>();
  return {
    of(propertyName, timeZone, collectsSince, today) {
      if (collectsSince === undefined) return null;
      const opened = localTime(timeZone, Date.parse(collectsSince));
      if (opened.day > today) return null;
      const key = `${propertyName} ${collectsSince}`;
      const known = sets.get(key);
      if (known?.lastDay === today) return known;
      const set = eventsOf({
        seed: Number(propertyName.split("/")[1]),
        scale: scales[propertyName] ?? scaleOfNew,
        firstDay: Math.max(opened.day, today - daysKept + 1),
        lastDay: today,
        openedDay: opened.day,
        firstSecond: opened.second,
      });
      sets.set(key, set);
      return set;
    },
  };
}

/** Whether an event of this name has happened by now. */
export function hasHappened(set: EventSet, eventName: string, now: LocalTime): boolean {
  const code = eventNames.indexOf(eventName as EventName);
  if (code < 0) return false;
  const { name, second, session } = set.events;
  for (let event = 0; event < name.length; event++) {
    if (name[event] !== code) continue;
    if ((set.sessions.day[session[event] ?? 0] ?? 0) < now.day || (second[event] ?? 0) <= now.second) return true;
  }
  return false;
}
