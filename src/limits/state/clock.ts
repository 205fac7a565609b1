/** The limiter's clock, which tests can move. All in milliseconds. */
export interface LimitClock {
  /** Since 1970, by the machine's clock, which can be set. */
  wall(): number;
  /** A monotonic clock that all processes of the machine share. */
  steady(): number;
  /** Runs once; returns a function that cancels it. */
  after(milliseconds: number, work: () => void): () => void;
  /** From 0 up to 1. */
  random(): number;
}

export const systemClock: LimitClock = {
  wall: () => Date.now(),
  // Since the start of the machine, equal in all processes; performance.now() counts from the start of each process.
  steady() {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + Math.floor(nanoseconds / 1_000_000);
  },
  after(milliseconds, work) {
    const timer = setTimeout(work, milliseconds);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** A moment as a row stores it. The steady time is null if the row follows the database's clock. */
export interface Moment {
  wall: number;
  steady: number | null;
}

/** A database may return a time from before it waited for the row. A larger step back means that its clock was set. */
const waitedForRow = 10_000;

/**
 * The time between two moments, by the steady clock if possible: a wall clock that is set forward would release
 * reservations too early. After a restart of the machine the steady clock starts at zero, and never shows more than
 * what passed.
 */
export function elapsedBetween(then: Moment, now: Moment): number {
  if (then.steady !== null && now.steady !== null && now.steady >= then.steady) return now.steady - then.steady;
  return Math.max(0, now.wall - then.wall);
}

export function notBefore(now: Moment, then: Moment): Moment {
  const behind = then.wall - now.wall;
  return now.steady === null && behind > 0 && behind < waitedForRow ? then : now;
}
