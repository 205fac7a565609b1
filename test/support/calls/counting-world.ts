import { defaultPolicies, type PolicySettings } from "../../../src/calls/rate-limits/default-quotas.ts";
import { createRateLimits, type RateLimits } from "../../../src/calls/rate-limits/rate-limiter.ts";
import { createExactCounts } from "../../../src/calls/rate-limits/shared-counts/count-exactly.ts";
import { type Ask, createWindowSharing } from "../../../src/calls/rate-limits/shared-counts/share-windows.ts";
import type { SharedCount } from "../../../src/calls/rate-limits/shared-counts/window.ts";
import { Problem } from "../../../src/kernel/problem.ts";

/** Repeatable random numbers (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface CountingOptions {
  nodes: number;
  /** Of the policies `default`, `account` and `write`. */
  quota: number;
  latency(): number;
}

/** A clock that moves from event to event, and a shared count behind a network that takes time. */
export function createCountingWorld({ nodes, quota, latency }: CountingOptions) {
  let now = 1_000;
  let order = 0;
  let isAway = false;
  /** The database responds when it is over. */
  let hang = Promise.withResolvers<void>();
  hang.resolve();
  let questions = 0;
  let windows = 0;
  const events: { at: number; order: number; work: () => void }[] = [];
  const after = (milliseconds: number, work: () => void) => {
    const event = { at: now + milliseconds, order: order++, work };
    events.push(event);
    return () => void (events.includes(event) && events.splice(events.indexOf(event), 1));
  };
  const pause = () => new Promise<void>((resolve) => void after(latency(), resolve));
  const rows = new Map<string, { used: number; endsAt: number }>();

  /** The statement of `shared-counts.store.ts`, whose own test is on a real PostgreSQL. */
  function changeNow(asks: readonly Ask[]): SharedCount[] {
    questions++;
    return asks.map(({ policy, quota: max, subject, change, millisecondsLeft }) => {
      const row = rows.get(policy + subject);
      const isOpen = row !== undefined && row.endsAt > now;
      const used = (isOpen ? Math.max(0, Math.min(row.used, max)) : 0) + change;
      if (!isOpen) windows++;
      const endsAt = isOpen ? row.endsAt : now + millisecondsLeft;
      rows.set(policy + subject, { used, endsAt });
      return { sum: used, millisecondsLeft: endsAt - now };
    });
  }
  async function change(asks: readonly Ask[]): Promise<SharedCount[]> {
    await pause();
    await hang.promise;
    if (isAway) throw new Error("The database is away.");
    const counts = changeNow(asks);
    await pause();
    return counts;
  }
  const clock = { now: () => now, after };
  const policy = { quota, windowSeconds: 60 };
  const settings: PolicySettings = { ...defaultPolicies, default: policy, account: policy, write: policy };
  const limits = Array.from({ length: nodes }, () => {
    const heard = { failed: () => {}, back: () => {} };
    const processes = () => nodes;
    const windows = createWindowSharing({ clock, change, processes, ...heard });
    const counts = { windows, exact: createExactCounts({ clock, change, ...heard }), processes, close: windows.close };
    return createRateLimits(settings, clock.now, { counts, signInAttempts: () => ({ begin: () => 0, sweep() {} }) });
  });
  return {
    limits,
    questions: () => questions,
    windows: () => windows,
    setAway: (value: boolean) => {
      isAway = value;
    },
    /** Returns a function that ends it. */
    startHang() {
      hang = Promise.withResolvers();
      return hang.resolve;
    },
    async advance(milliseconds: number) {
      const end = now + milliseconds;
      for (;;) {
        await new Promise(setImmediate);
        const next = events.sort((one, other) => one.at - other.at || one.order - other.order)[0];
        if (!next || next.at > end) break;
        events.shift();
        now = next.at;
        next.work();
      }
      now = end;
    },
  };
}

export const nothing = () => ({ admitted: 0, refused: 0, waited: 0 });

export function send(limits: RateLimits | undefined, outcome: ReturnType<typeof nothing>): void {
  try {
    const headers = limits?.admit(["default"], "key");
    if (!(headers instanceof Promise)) outcome.admitted++;
    else {
      outcome.waited++;
      headers.then(
        () => outcome.admitted++,
        () => outcome.refused++,
      );
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    outcome.refused++;
  }
}
