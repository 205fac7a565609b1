import { hash } from "node:crypto";
import { randomBase62 } from "../../kernel/random.ts";

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
  succeeded(): void;
  /** The password was not compared after all: takes this attempt back. */
  undo(): void;
}

export interface AttemptLimiter {
  /** Counts an attempt. Returns a number, and counts nothing, where the source has to wait that many seconds. */
  begin(account: string, source: AttemptSource): Attempt | number;
  /** Drops expired counts. */
  sweep(): void;
}

interface Failures {
  count: number;
  at: number;
  notBefore: number;
}

/** The budget of one address over all accounts, and of one account over all strangers, in units of a source's quota. */
const sharedFactor = 10;
const dayMs = 86_400_000;
const sourcesMax = 100_000;
const oldestLookedAt = 50;
const accountSlots = 65_536;

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
 * Memory is bounded, and filling it resets no limit. An account's count over all strangers is one of 65,536 slots, chosen by a hash
 * with a secret of this process. A slot is never dropped; two accounts in one slot only wait together, and to fill it an attacker has
 * to try every few seconds. Counts of sources can be dropped, the smallest of the oldest first. Made-up accounts would need hundreds
 * of networks to get there, since each may fill a limited number of rows. They would win ten fresh attempts for one address, and the
 * slot of the account still counts those.
 */
export function createAttemptLimiter({ quota, windowSeconds }: AttemptRate, nowMs: () => number): AttemptLimiter {
  const spacingMs = (windowSeconds * 1000) / quota;
  const freeMax = Math.max(1, Math.ceil(quota / 2));
  const failures = new Map<string, Failures>();
  const addresses = new Map<string, number>();
  const [ofFresh, ofRepeated] = [new Float64Array(accountSlots), new Float64Array(accountSlots)];
  const secret = randomBase62(22);
  const slotOf = (account: string): number => hash("sha256", `${secret}${account}`, "buffer").readUInt16BE();

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
    return Math.max(0, (failures.get(key)?.notBefore ?? 0) - now);
  }

  /** Counts an attempt at the source. */
  function countAt(key: string, now: number): Attempt {
    const before = failures.get(key);
    const count = countNow(before, now) + 1;
    failures.delete(key);
    makeRoom(failures, ({ count: each }) => each);
    failures.set(key, { count, at: now, notBefore: now + delayMs(count) });
    return {
      succeeded: () => void failures.delete(key),
      undo() {
        const counted = failures.get(key);
        if (!counted) return;
        if (counted.count <= 1) failures.delete(key);
        else failures.set(key, { ...counted, count: counted.count - 1, notBefore: before?.notBefore ?? 0 });
      },
    };
  }

  function begin(account: string, source: AttemptSource): Attempt | number {
    const now = nowMs();
    if (source.kind === "browser") {
      const key = `${account}|browser ${source.id}`;
      return inSeconds(waitOf(key, now)) ?? countAt(key, now);
    }
    const { address } = source;
    const key = `${account}|${address}`;
    if (source.kind === "known address") return inSeconds(waitOf(key, now)) ?? countAt(key, now);

    const slots = failures.has(key) ? ofRepeated : ofFresh;
    const slot = slotOf(account);
    const wait = Math.max(
      waitOf(key, now),
      waitFor(addressBudget, addresses.get(address) ?? 0, now),
      waitFor(accountBudget, slots[slot] as number, now),
    );
    if (wait > 0) return inSeconds(wait) as number;
    const counted = countAt(key, now);
    setAddress(address, Math.max(addresses.get(address) ?? 0, now) + addressBudget.spacingMs);
    slots[slot] = Math.max(slots[slot] as number, now) + accountBudget.spacingMs;
    const refund = () => {
      const used = addresses.get(address);
      if (used !== undefined) addresses.set(address, used - addressBudget.spacingMs);
      slots[slot] = (slots[slot] as number) - accountBudget.spacingMs;
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

  function setAddress(address: string, until: number): void {
    addresses.delete(address);
    makeRoom(addresses, (each) => each);
    addresses.set(address, until);
  }

  function sweep(): void {
    const now = nowMs();
    // An address that failed is remembered for a day, and does not count as fresh until then.
    for (const [key, { at }] of failures) if (at + dayMs <= now) failures.delete(key);
    for (const [address, until] of addresses) if (until <= now) addresses.delete(address);
  }

  return { begin, sweep };
}

/** Milliseconds until one more attempt fits (the generic cell rate algorithm). */
const waitFor = (
  { spacingMs, attempts }: { spacingMs: number; attempts: number },
  until: number,
  now: number,
): number => Math.max(0, until + spacingMs - now - spacingMs * attempts);

/** Whole seconds, for Retry-After; null where there is nothing to wait for. */
const inSeconds = (milliseconds: number): number | null => (milliseconds > 0 ? Math.ceil(milliseconds / 1000) : null);

/** Rows are in the order of their last attempt. Drops the one with the smallest count among the oldest few. */
function makeRoom<T>(rows: Map<string, T>, weightOf: (row: T) => number): void {
  if (rows.size < sourcesMax) return;
  let least: [key: string, weight: number] | null = null;
  let looked = 0;
  for (const [key, row] of rows) {
    const weight = weightOf(row);
    if (least === null || weight < least[1]) least = [key, weight];
    if (++looked >= oldestLookedAt) break;
  }
  if (least) rows.delete(least[0]);
}
