/** Time as the limiter sees it; a test moves it by hand. All in milliseconds. */
export interface LimitClock {
  /** Since 1970, by the machine's clock, which people and servers set. */
  wall(): number;
  /** On a clock that nobody sets, and that all processes of a machine share. */
  steady(): number;
  /** Calls back once; answers how to call it off. */
  after(milliseconds: number, work: () => void): () => void;
  /** From 0 up to 1. */
  random(): number;
}

export const systemClock: LimitClock = {
  wall: () => Date.now(),
  // Since the machine was started, for every process alike; performance.now() would count from the start of each.
  steady: () => Number(process.hrtime.bigint() / 1_000_000n),
  after(milliseconds, work) {
    const timer = setTimeout(work, milliseconds);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** A moment as a row keeps it: the steady time is null where the row's time is the database's. */
export interface Moment {
  wall: number;
  steady: number | null;
}

/** A database that serves several nodes may answer with a time from before it waited for a row; more than this is a clock set back. */
const waitedForRow = 10_000;

/**
 * What passed between two moments. The steady clock says it best: a wall clock that is set forward would free places
 * that are still taken. After a restart of the machine it begins anew, and what it shows is never more than what passed.
 */
export function elapsedBetween(then: Moment, now: Moment): number {
  if (then.steady !== null && now.steady !== null && now.steady >= then.steady) return now.steady - then.steady;
  return Math.max(0, now.wall - then.wall);
}

export function notBefore(now: Moment, then: Moment): Moment {
  const behind = then.wall - now.wall;
  return now.steady === null && behind > 0 && behind < waitedForRow ? then : now;
}
