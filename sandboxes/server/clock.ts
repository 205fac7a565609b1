import { createPlans } from "./plans.ts";

/** The sandbox's own time: it runs with the machine's and can be moved, and what is due happens when it passes. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  advance(seconds: number): void;
  set(milliseconds: number): void;
  /** Runs `work` when the clock reaches `at`, however it gets there. Answers how to call it off. */
  at(at: number, work: () => void): () => void;
  /** Back to the machine's time; everything planned is forgotten. */
  reset(): void;
  /** No more timers, so that the process can end. */
  stop(): void;
}

// setTimeout fires at once for anything longer than this.
const timerMillisecondsMax = 2_147_000_000;

export function createClock(): Clock {
  let offset = 0;
  let plans = createPlans();
  let timer: NodeJS.Timeout | undefined;
  // While planned work runs, "now" is the moment it was planned for: a jump of an hour keeps every stamp in its order.
  let pinned: number | null = null;

  const now = () => pinned ?? Date.now() + offset;

  function runDue(): void {
    clearTimeout(timer);
    const target = Date.now() + offset;
    for (let due = plans.takeDue(target); due !== null; due = plans.takeDue(target)) {
      pinned = due.at;
      try {
        due.work();
      } finally {
        pinned = null;
      }
    }
    const next = plans.nextAt();
    if (next === null) return;
    timer = setTimeout(runDue, Math.min(Math.max(0, next - target), timerMillisecondsMax));
    timer.unref();
  }

  function forget(): void {
    plans = createPlans();
    clearTimeout(timer);
  }

  return {
    now,
    advance(seconds) {
      offset += seconds * 1000;
      runDue();
    },
    set(milliseconds) {
      offset = milliseconds - Date.now();
      runDue();
    },
    at(at, work) {
      const plan = plans.add(at, work);
      if (pinned === null) runDue();
      return () => {
        plan.isOff = true;
      };
    },
    reset() {
      offset = 0;
      forget();
    },
    stop: forget,
  };
}
