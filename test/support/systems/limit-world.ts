import type { LimitClock } from "../../../src/limits/state/clock.ts";
import type { Store } from "../../../src/store/db.ts";

/** A clock that a test moves, with real store work in between. */
export interface LimitWorld {
  clock: LimitClock;
  /** The store, watched: the clock advances only while no statement runs. */
  store: Store;
  /** A clock of the same speed that shows another time. */
  skewed(milliseconds: number): LimitClock;
  /** Sets the wall clock only, like an administrator. */
  setWall(milliseconds: number): void;
  now(): number;
  /** Runs everything that happens until then, each at its time. */
  advance(milliseconds: number): Promise<void>;
  /** Runs everything that needs no time. */
  settle(): Promise<void>;
  /** Statements of the store, including those in transactions. */
  readonly statements: number;
}

interface Event {
  at: number;
  order: number;
  work: () => void;
}

export function createLimitWorld(
  real: Store,
  start = Date.parse("2030-03-05T18:00:00Z"),
  random = Math.random,
): LimitWorld {
  let elapsed = 0;
  let wallShift = start;
  let order = 0;
  let pending = 0;
  let statements = 0;
  let events: Event[] = [];

  const watch = async <T>(work: () => Promise<T>): Promise<T> => {
    pending++;
    statements++;
    try {
      return await work();
    } finally {
      pending--;
    }
  };
  const store: Store = {
    ...real,
    query: (sql, values) => watch(() => real.query(sql, values)),
    transaction: (work) => watch(() => real.transaction(work)),
  };
  const clockShowing = (shift: () => number): LimitClock => ({
    wall: () => shift() + elapsed,
    steady: () => 1_000_000 + elapsed,
    random,
    after(milliseconds, work) {
      const event = { at: elapsed + milliseconds, order: order++, work };
      events.push(event);
      return () => {
        events = events.filter((each) => each !== event);
      };
    },
  });

  async function settle(): Promise<void> {
    for (let quietTurns = 0; quietTurns < 3; quietTurns++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (pending > 0) quietTurns = -1;
    }
  }

  async function advance(milliseconds: number): Promise<void> {
    const until = elapsed + milliseconds;
    for (;;) {
      await settle();
      const next = events
        .filter(({ at }) => at <= until)
        .reduce<Event | null>((first, each) => (first && before(first, each) ? first : each), null);
      if (!next) break;
      events = events.filter((each) => each !== next);
      elapsed = Math.max(elapsed, next.at);
      next.work();
    }
    elapsed = until;
  }

  const before = (one: Event, other: Event): boolean =>
    one.at < other.at || (one.at === other.at && one.order < other.order);

  return {
    clock: clockShowing(() => wallShift),
    store,
    skewed: (milliseconds) => clockShowing(() => wallShift + milliseconds),
    setWall: (milliseconds) => {
      wallShift += milliseconds;
    },
    now: () => wallShift + elapsed,
    advance,
    settle,
    get statements() {
      return statements;
    },
  };
}
