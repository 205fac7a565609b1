import { creditOf, learn, leaseOf, type SharedCount, setBounds, uncoveredOf, type Window } from "./window.ts";

/** Time that tests move, in milliseconds. */
export interface CountClock {
  /** Monotonic. */
  now(): number;
  /** Runs once; returns a function that cancels it. */
  after(milliseconds: number, work: () => void): () => void;
}

/** A change of a shared count. */
export interface Ask {
  policy: string;
  quota: number;
  subject: string;
  /** Calls to add; below zero to give some back. */
  change: number;
  /** When a window ends that starts with this change. */
  millisecondsLeft: number;
  windowMilliseconds: number;
}

/** Changes shared counts, all or none of them. Returns the new counts in the order of `asks`. */
export type ChangeCounts = (asks: readonly Ask[]) => Promise<SharedCount[]>;

export interface ShareParts {
  clock: CountClock;
  change: ChangeCounts;
  /** How many processes share the counts; 0 while that is unknown. */
  processes(): number;
  /** The shared counts do not respond: until `back`, this process counts for itself. */
  failed(error: unknown): void;
  back(): void;
}

/** Counts that several processes share, without a question for each call. */
export interface WindowSharing {
  /** For a window that has just been opened, in place of an older one of the same subject. */
  open(window: Window, before: Window | undefined): void;
  /** Takes more calls from the shared count, in the background. */
  ask(window: Window): void;
  /** Resolves when more calls were taken, when none are left, or when the shared count does not respond. */
  more(window: Window): Promise<void>;
  /** Returns to the shared count what was taken and not used. */
  close(): Promise<void>;
}

/** Between two exchanges, so that the calls of many subjects share a statement. */
const gapMilliseconds = 5;
const asksMax = 500;
/** A call waits this long for the shared count; then this process counts for itself. */
const patienceMilliseconds = 2_000;
const retryMilliseconds = 1_000;
/** What was taken and not used for this long is returned. */
const idleMilliseconds = 1_000;
/** For this long, a window without calls left is refused without asking whether some were returned. */
const fullMilliseconds = 1_000;

/**
 * Each process takes some calls from the shared count in advance, and admits calls from them without asking; all processes together hold
 * at most 5 % of the quota that way. Until it has taken any, it has a small credit; all credits together are at most 5 % of the quota, too.
 * So whatever callers do, and however slow the exchange is, all processes together admit 95 to 105 % of a quota in a window. A call that
 * comes before the next calls were taken waits for them.
 * If the database does not respond, each process counts for itself.
 */
export function createWindowSharing({ clock, change, processes, failed, back }: ShareParts): WindowSharing {
  const asked = new Set<Window>();
  /** Windows with calls that were taken and not used, and how many were used when they were last looked at. */
  const holding = new Map<Window, number>();
  const waiting = new Map<Window, (() => void)[]>();
  let isAway = false;
  let isScheduled = false;
  let isClosed = false;
  let underWay: Promise<void> | null = null;
  let cancelIdle: (() => void) | null = null;

  function schedule(milliseconds: number): void {
    if (isScheduled || underWay || isClosed) return;
    isScheduled = true;
    clock.after(milliseconds, () => {
      isScheduled = false;
      underWay = exchange().finally(() => {
        underWay = null;
        if (asked.size > 0) schedule(isAway ? retryMilliseconds : gapMilliseconds);
      });
    });
  }

  async function exchange(): Promise<void> {
    const now = clock.now();
    const batch = [...asked].slice(0, asksMax);
    for (const window of batch) {
      asked.delete(window);
      if (window.endsAt <= now) wake(window);
    }
    const live = batch.filter(({ endsAt }) => endsAt > now);
    if (live.length > 0) await exchangeOf(live);
  }

  async function exchangeOf(windows: readonly Window[]): Promise<void> {
    const sentAt = clock.now();
    const wanted = windows.map(wantedOf).filter(({ window, lease, change: by }) => {
      // A full window asks whether others have given calls back, and a node on its own whether the database is back.
      const isUseful = by !== 0 || window.isFull || isAway;
      if (!isUseful) {
        setBounds(window, lease);
        wake(window);
      }
      return isUseful;
    });
    if (wanted.length === 0) return;
    const asks = wanted.map(({ window: { policy, quota, subject, endsAt, windowMilliseconds }, change: by }) => {
      return { policy, quota, subject, change: by, millisecondsLeft: Math.ceil(endsAt - sentAt), windowMilliseconds };
    });
    try {
      const counts = await change(asks);
      if (isAway) back();
      isAway = false;
      wanted.forEach(({ window, lease, change: by }, index) => {
        learn(window, by, counts[index] as SharedCount, sentAt);
        if (window.isFull) window.fullUntil = clock.now() + fullMilliseconds;
        setBounds(window, lease);
        holding.delete(window);
        if (window.taken > window.used) hold(window);
      });
    } catch (error) {
      lose(error);
      for (const window of windows) countAlone(window);
    }
    for (const window of windows) wake(window);
  }

  function wantedOf(window: Window) {
    const isIdle = window.waiting === 0 && holding.get(window) === window.used;
    const lease = isIdle ? 0 : leaseOf(window, processes());
    return { window, lease, change: window.used + window.waiting + lease - window.taken };
  }

  function lose(error: unknown): void {
    if (!isAway) failed(error);
    isAway = true;
  }

  /** The shared count does not respond: this process admits what was left of the quota when it last knew. */
  function countAlone(window: Window): void {
    window.allowed = Math.max(window.allowed, window.quota - window.others);
    window.isFull = false;
    asked.add(window);
  }

  function hold(window: Window): void {
    holding.set(window, window.used);
    cancelIdle ??= clock.after(idleMilliseconds, giveBackIdle);
  }

  function giveBackIdle(): void {
    cancelIdle = null;
    const now = clock.now();
    for (const [window, usedBefore] of holding) {
      if (window.endsAt <= now || window.taken <= window.used) holding.delete(window);
      else if (window.used === usedBefore) ask(window);
      else holding.set(window, window.used);
    }
    if (holding.size > 0 && !isClosed) cancelIdle = clock.after(idleMilliseconds, giveBackIdle);
  }

  function ask(window: Window): void {
    asked.add(window);
    window.askAt = Number.POSITIVE_INFINITY;
    schedule(gapMilliseconds);
  }

  function wake(window: Window): void {
    const callbacks = waiting.get(window);
    waiting.delete(window);
    for (const callback of callbacks ?? []) callback();
  }

  /** Until the next answer for this window, or the end of our patience. */
  const answered = (window: Window): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.after(patienceMilliseconds, () => {
        // From now on no other call waits, until an exchange has succeeded.
        lose(new Error("The database did not count calls in time."));
        countAlone(window);
        resolve();
      });
      const callback = () => {
        cancel();
        resolve();
      };
      const others = waiting.get(window);
      if (others) others.push(callback);
      else waiting.set(window, [callback]);
      ask(window);
    });

  return {
    open(window, before) {
      const now = clock.now();
      // What an older window has used ahead of the shared count may have been in the shared window that is open now.
      const carried = before && before.endsAt > now - (window.endsAt - now) ? uncoveredOf(before) : 0;
      window.credit = Math.max(0, creditOf(window.quota, processes()) - carried);
      setBounds(window, 0);
      if (isAway) countAlone(window);
    },
    ask,
    async more(window) {
      if (isClosed || isAway) return countAlone(window);
      if (window.isFull) {
        if (window.fullUntil > clock.now()) return;
        window.fullUntil = clock.now() + fullMilliseconds;
        return ask(window);
      }
      window.waiting++;
      await answered(window);
      window.waiting--;
    },
    async close() {
      for (const [window] of holding) {
        holding.set(window, window.used);
        asked.add(window);
      }
      await underWay;
      await exchange();
      isClosed = true;
      cancelIdle?.();
    },
  };
}
