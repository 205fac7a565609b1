import { hash } from "node:crypto";
import { randomBase62 } from "../../kernel/random.ts";

/** So many wrong passwords in so many seconds: what one source has for one account. */
export interface TriesRate {
  quota: number;
  windowSeconds: number;
}

/** Where a try comes from. Only a stranger shares anything with others who try the same account. */
export type TrySource =
  | { kind: "stranger"; address: string }
  /** An address from which somebody has signed in to the account since its password was last changed. */
  | { kind: "proved"; address: string }
  /** A browser that has, and says so with a sealed cookie. */
  | { kind: "browser"; id: string };

/** A try that was counted as wrong in advance, so that many at once get no more than one after the other. */
export interface Try {
  /** It was right: its source may forget what it had wrong with this account. */
  right(): void;
  /** Nobody looked at it after all. */
  undo(): void;
}

export interface Tries {
  /** Counts a try; or says how many seconds its source has to wait, and counts nothing. */
  begin(account: string, source: TrySource): Try | number;
  /** Forgets what is over. */
  sweep(): void;
}

interface Wrong {
  count: number;
  at: number;
  notBefore: number;
}

/** One address over all accounts, and one account over all strangers: so many times what one source has for one account. */
const sharedFactor = 10;
const dayMs = 86_400_000;
const sourcesMax = 100_000;
const oldestLookedAt = 50;
const accountSlots = 65_536;

/**
 * "Growing delays instead of a lock that strangers can set." With ten in 900 seconds:
 *
 * - A source (address, proved address or browser) has four wrong tries at an account for free. From the fifth on it waits 1, 2, 4, 8, 16
 *   seconds, and from the tenth on 90: over time that is ten in 900 seconds. Nobody else waits with it.
 * - A stranger's address has ten times as many over all accounts, against trying one password at many of them.
 * - All strangers together have ten times as many at one account, against trying from many addresses: half for addresses that
 *   had it wrong within a day, half for those that had not. Above that they wait until it is somebody's turn, some seconds each.
 *   Whoever has proved themselves does not take part in that, so nobody can keep them waiting.
 *
 * Memory is bounded, and filling it frees nobody. What counts for an account over all strangers is one of 65,536 slots, by a hash
 * with a secret of this process: it is never thrown away, two accounts in one slot only wait together, and to fill a slot somebody has
 * to try every few seconds. What counts for a source can be thrown away, the least of the oldest first. A crowd of made-up accounts
 * would need hundreds of networks to get there, since each may fill so many rows only, and all it wins is that an address starts anew with
 * ten tries; the slot of the account still counts them.
 */
export function createTries({ quota, windowSeconds }: TriesRate, nowMs: () => number): Tries {
  const spacingMs = (windowSeconds * 1000) / quota;
  const freeMax = Math.max(1, Math.ceil(quota / 2));
  const wrongs = new Map<string, Wrong>();
  const addresses = new Map<string, number>();
  const [ofFresh, ofRepeated] = [new Float64Array(accountSlots), new Float64Array(accountSlots)];
  const secret = randomBase62(22);
  const slotOf = (account: string): number => hash("sha256", `${secret}${account}`, "buffer").readUInt16BE();

  const addressBudget = { spacingMs: spacingMs / sharedFactor, tries: quota * sharedFactor };
  const accountBudget = { spacingMs: (spacingMs * 2) / sharedFactor, tries: (quota * sharedFactor) / 2 };

  function countNow(wrong: Wrong | undefined, now: number): number {
    return wrong ? Math.max(0, wrong.count - (now - wrong.at) / spacingMs) : 0;
  }

  /** What a short wait forgives is rounded away. */
  function delayMs(count: number): number {
    const whole = Math.round(count);
    if (whole < freeMax) return 0;
    return whole >= quota ? spacingMs : Math.min(spacingMs, 1000 * 2 ** (whole - freeMax));
  }

  function waitOf(key: string, now: number): number {
    return Math.max(0, (wrongs.get(key)?.notBefore ?? 0) - now);
  }

  /** Counts at the source; answers what takes it back. */
  function countAt(key: string, now: number): Try {
    const before = wrongs.get(key);
    const count = countNow(before, now) + 1;
    wrongs.delete(key);
    makeRoom(wrongs, ({ count: each }) => each);
    wrongs.set(key, { count, at: now, notBefore: now + delayMs(count) });
    return {
      right: () => void wrongs.delete(key),
      undo() {
        const counted = wrongs.get(key);
        if (!counted) return;
        if (counted.count <= 1) wrongs.delete(key);
        else wrongs.set(key, { ...counted, count: counted.count - 1, notBefore: before?.notBefore ?? 0 });
      },
    };
  }

  function begin(account: string, source: TrySource): Try | number {
    const now = nowMs();
    if (source.kind === "browser") {
      const key = `${account}|browser ${source.id}`;
      return inSeconds(waitOf(key, now)) ?? countAt(key, now);
    }
    const { address } = source;
    const key = `${account}|${address}`;
    if (source.kind === "proved") return inSeconds(waitOf(key, now)) ?? countAt(key, now);

    const slots = wrongs.has(key) ? ofRepeated : ofFresh;
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
    const giveBack = () => {
      const used = addresses.get(address);
      if (used !== undefined) addresses.set(address, used - addressBudget.spacingMs);
      slots[slot] = (slots[slot] as number) - accountBudget.spacingMs;
    };
    return {
      right() {
        counted.right();
        giveBack();
      },
      undo() {
        counted.undo();
        giveBack();
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
    // An address that had it wrong is remembered for a day: so long it is no fresh one.
    for (const [key, { at }] of wrongs) if (at + dayMs <= now) wrongs.delete(key);
    for (const [address, until] of addresses) if (until <= now) addresses.delete(address);
  }

  return { begin, sweep };
}

/** How long until one more fits, where each takes its spacing and so many may come at once (the generic cell rate algorithm). */
const waitFor = ({ spacingMs, tries }: { spacingMs: number; tries: number }, until: number, now: number): number =>
  Math.max(0, until + spacingMs - now - spacingMs * tries);

/** Whole ones, for Retry-After; null where there is nothing to wait for. */
const inSeconds = (milliseconds: number): number | null => (milliseconds > 0 ? Math.ceil(milliseconds / 1000) : null);

/** Rows stand in the order in which they were last counted. Of the oldest few, the one that holds least goes. */
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
