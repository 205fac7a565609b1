import { randomBase62 } from "../kernel/random.ts";
import { secondsAfter } from "../store/clock/move-times-back.ts";
import type { Db, Store } from "../store/db.ts";
import { sharedNow } from "../store/shared-time.ts";
import { moveCreationsBack, moveLeasesBack, renewKeyLeases } from "./idempotency-leases.store.ts";

export { endKeyLeases } from "./idempotency-leases.store.ts";

/** The longest time for which a dead call keeps its key from others. */
const leaseSeconds = 15;
const renewSeconds = leaseSeconds / 3;

/** The lease of one call on the slot of its Idempotency-Key. */
export interface KeyLease {
  /** Unique to the call, also within this process. A call that finds another holder in its slot has lost it. */
  holder: string;
  /** Ends the renewals. */
  release(): void;
}

/** The leases of all calls that run in this process, renewed together while there are any. */
export interface KeyLeases {
  open(): KeyLease;
  times(db: Db): Promise<{ now: Date; until: Date }>;
  stop(): void;
}

export function createKeyLeases({
  store,
  now,
  failed,
}: {
  store: Store;
  now: () => Date;
  failed(error: unknown): void;
}): KeyLeases {
  const name = randomBase62(10);
  const held = new Set<string>();
  let count = 0;
  let timer: NodeJS.Timeout | null = null;
  let renewing = false;

  async function times(db: Db): Promise<{ now: Date; until: Date }> {
    const at = await sharedNow(db, store.kind, now());
    return { now: at, until: new Date(at.getTime() + leaseSeconds * 1000) };
  }

  async function renew(): Promise<void> {
    if (renewing) return;
    renewing = true;
    try {
      await store.transaction(async (db) => renewKeyLeases(db, [...held], (await times(db)).until.toISOString()));
    } catch (error) {
      failed(error);
    } finally {
      renewing = false;
    }
  }

  function stopTimer(): void {
    if (timer) clearInterval(timer);
    timer = null;
  }

  return {
    open() {
      const holder = `${name}.${(++count).toString(36)}`;
      held.add(holder);
      timer ??= setInterval(() => void renew(), renewSeconds * 1000).unref();
      return {
        holder,
        release() {
          held.delete(holder);
          if (held.size === 0) stopTimer();
        },
      };
    },
    times,
    stop: stopTimer,
  };
}

/** After the clock was set back: a call that died keeps its key no longer than usual, and a kept answer is deleted in time. */
export async function moveKeysBack(db: Db, now: Date): Promise<number> {
  await moveCreationsBack(db, { latest: secondsAfter(now, leaseSeconds), to: now });
  const until = secondsAfter(now, leaseSeconds);
  return moveLeasesBack(db, { latest: secondsAfter(until, leaseSeconds), to: until });
}
