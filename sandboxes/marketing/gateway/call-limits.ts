import { Refusal } from "./refusal.ts";
import type { Settings } from "./settings.ts";
import { centralDay } from "./times.ts";

export interface DayUse {
  date: string;
  total: number;
  users: Map<string, number>;
  errors: Map<string, number>;
}

/** What one instance lets through, all its clients together: calls a window, calls in flight, calls a Central day. */
export interface CallLimits {
  /** A call arrives; false when too many are under way, and then it is not one of them. */
  enter(): boolean;
  leave(): void;
  /** Counts a call against day and window, or throws the refusal. */
  admit(user: string): void;
  countError(code: string): void;
  /** Today first, at most seven days. */
  days(): DayUse[];
}

const daysKept = 7;

export function createCallLimits(settings: Settings, now: () => number): CallLimits {
  let inFlight = 0;
  let window: number[] = [];
  let oldest = 0;
  let days: DayUse[] = [];
  let dayFrom = 0;
  let dayTo = 0;

  function today(at: number): DayUse {
    const current = days[0];
    if (current && at >= dayFrom && at < dayTo) return current;
    const { date, from, to } = centralDay(at);
    [dayFrom, dayTo] = [from, to];
    if (current?.date === date) return current;
    const fresh = { date, total: 0, users: new Map<string, number>(), errors: new Map<string, number>() };
    days = [fresh, ...days.filter((day) => day.date < date)].slice(0, daysKept);
    return fresh;
  }

  /** A sliding window: what is older than it leaves at the front, and its memory is freed now and then. */
  function callsInWindow(at: number): number {
    const since = at - settings.rate_seconds * 1000;
    if ((window.at(-1) ?? at) > at) [window, oldest] = [[], 0]; // The clock was set back.
    while (oldest < window.length && (window[oldest] ?? 0) <= since) oldest++;
    if (oldest > 1024 && oldest * 2 > window.length) [window, oldest] = [window.slice(oldest), 0];
    return window.length - oldest;
  }

  return {
    enter() {
      if (settings.concurrent_calls !== null && inFlight >= settings.concurrent_calls) return false;
      inFlight++;
      return true;
    },
    leave() {
      inFlight--;
    },
    admit(user) {
      const at = now();
      const day = today(at);
      if (settings.daily_calls !== null && day.total >= settings.daily_calls) {
        throw new Refusal("607", "Daily quota reached");
      }
      day.total++;
      day.users.set(user, (day.users.get(user) ?? 0) + 1);
      if (settings.rate_calls === null) return;
      if (callsInWindow(at) >= settings.rate_calls) {
        const { rate_calls: calls, rate_seconds: seconds } = settings;
        throw new Refusal("606", `Max rate limit '${calls}' exceeded with in '${seconds}' secs`);
      }
      window.push(at);
    },
    countError(code) {
      const { errors } = today(now());
      errors.set(code, (errors.get(code) ?? 0) + 1);
    },
    days() {
      today(now());
      return days;
    },
  };
}
