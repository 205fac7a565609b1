import { type AttemptRows, createRowsInMemory, type Failures } from "./attempt-rows.ts";

/** How many wrong passwords one source may send for one account in a window. */
export interface AttemptRate {
  quota: number;
  windowSeconds: number;
}

/** Where an attempt comes from. Only strangers share a budget with others who try the same account. */
export type AttemptSource =
  | { kind: "stranger"; address: string }
  /** An address from which a user has signed in to the account since its last password change. */
  | { kind: "known address"; address: string }
  /** A browser that has signed in since then, as its sealed cookie says. */
  | { kind: "browser"; id: string };

/** An attempt is counted as a failure in advance, so that concurrent attempts get no more than sequential ones. */
export interface Attempt {
  /** The password was right: clears the failures of this source for this account. */
  succeeded(): void | Promise<void>;
  /** The password was not compared after all: takes this attempt back. */
  undo(): void | Promise<void>;
}

export interface AttemptLimiter {
  /** Counts an attempt. Returns a number, and counts nothing, where the source has to wait that many seconds. */
  begin(account: string, source: AttemptSource): Attempt | number | Promise<Attempt | number>;
  /** Drops expired counts. */
  sweep(): void;
}

/** An attempt that this process counts alone. */
export interface LocalAttempt extends Attempt {
  succeeded(): void;
  undo(): void;
}

/** The limiter of one process, which waits for nobody. */
export interface LocalAttemptLimiter extends AttemptLimiter {
  begin(account: string, source: AttemptSource): LocalAttempt | number;
}

/** The budget of one address over all accounts, and of one account over all strangers, in units of a source's quota. */
const sharedFactor = 10;

/**
 * "Growing delays instead of a lock that strangers can set." With a quota of ten in 900 seconds:
 *
 * - A source (address, known address or browser) has four free failures per account. From the fifth on it waits 1, 2, 4, 8, 16
 *   seconds, and from the tenth on 90: over time that is ten in 900 seconds. No other source waits with it.
 * - A stranger's address has ten times that quota over all accounts. This stops trying one password at many accounts.
 * - All strangers together have ten times that quota for one account. This stops guessing from many addresses. Half of it is for
 *   addresses that failed within a day, half for fresh ones. Above it, strangers wait some seconds each. Known sources do not share
 *   this budget, so strangers cannot keep them waiting.
 *
 * `rows` holds the counts: in memory (`attempt-rows.ts`), or shared by several nodes (`shared-attempts.ts`).
 */
export function createAttemptLimiter(
  { quota, windowSeconds }: AttemptRate,
  nowMs: () => number,
  rows: AttemptRows = createRowsInMemory(),
): LocalAttemptLimiter {
  const spacingMs = (windowSeconds * 1000) / quota;
  const freeMax = Math.max(1, Math.ceil(quota / 2));
  const addressBudget = { spacingMs: spacingMs / sharedFactor, attempts: quota * sharedFactor };
  const accountBudget = { spacingMs: (spacingMs * 2) / sharedFactor, attempts: (quota * sharedFactor) / 2 };

  function countNow(record: Failures | undefined, now: number): number {
    return record ? Math.max(0, record.count - (now - record.at) / spacingMs) : 0;
  }

  /** Rounded, so that a short wait forgives nothing. */
  function delayMs(count: number): number {
    const whole = Math.round(count);
    if (whole < freeMax) return 0;
    return whole >= quota ? spacingMs : Math.min(spacingMs, 1000 * 2 ** (whole - freeMax));
  }

  function waitOf(key: string, now: number): number {
    return Math.max(0, (rows.source(key)?.notBefore ?? 0) - now);
  }

  /** Counts an attempt at the source. */
  function countAt(key: string, now: number): LocalAttempt {
    const before = rows.source(key);
    const count = countNow(before, now) + 1;
    rows.setSource(key, { count, at: now, notBefore: now + delayMs(count) });
    return {
      succeeded: () => rows.setSource(key, null),
      undo() {
        const counted = rows.source(key);
        if (!counted) return;
        if (counted.count <= 1) rows.setSource(key, null);
        else rows.setSource(key, { ...counted, count: counted.count - 1, notBefore: before?.notBefore ?? 0 });
      },
    };
  }

  function begin(account: string, source: AttemptSource): LocalAttempt | number {
    const now = nowMs();
    if (source.kind === "browser") {
      const key = `${account}|browser ${source.id}`;
      return inSeconds(waitOf(key, now)) ?? countAt(key, now);
    }
    const { address } = source;
    const key = `${account}|${address}`;
    if (source.kind === "known address") return inSeconds(waitOf(key, now)) ?? countAt(key, now);

    const kind = rows.source(key) ? "repeated" : "fresh";
    const wait = Math.max(
      waitOf(key, now),
      waitFor(addressBudget, rows.address(address), now),
      waitFor(accountBudget, rows.account(kind, account), now),
    );
    if (wait > 0) return inSeconds(wait) as number;
    const counted = countAt(key, now);
    rows.setAddress(address, Math.max(rows.address(address), now) + addressBudget.spacingMs);
    rows.setAccount(kind, account, Math.max(rows.account(kind, account), now) + accountBudget.spacingMs);
    const refund = () => {
      const used = rows.address(address);
      if (used > 0) rows.setAddress(address, used - addressBudget.spacingMs);
      rows.setAccount(kind, account, rows.account(kind, account) - accountBudget.spacingMs);
    };
    return {
      succeeded() {
        counted.succeeded();
        refund();
      },
      undo() {
        counted.undo();
        refund();
      },
    };
  }

  return { begin, sweep: () => rows.sweep(nowMs()) };
}

/** Milliseconds until one more attempt fits (the generic cell rate algorithm). */
const waitFor = (
  { spacingMs, attempts }: { spacingMs: number; attempts: number },
  until: number,
  now: number,
): number => Math.max(0, until + spacingMs - now - spacingMs * attempts);

/** Whole seconds, for Retry-After; null where there is nothing to wait for. */
const inSeconds = (milliseconds: number): number | null => (milliseconds > 0 ? Math.ceil(milliseconds / 1000) : null);
