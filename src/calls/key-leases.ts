import { randomBase62 } from "../kernel/random.ts";
import type { Db, Store } from "../store/db.ts";
import { sharedNow } from "../store/shared-time.ts";
import { endKeyLeases, renewKeyLeases } from "./key-leases.store.ts";

/** A call that died keeps its key from others for so long at most. */
const leaseSeconds = 15;
const renewSeconds = leaseSeconds / 3;

/** What a call writes into the place of its Idempotency-Key. */
export interface KeyLease {
  /** Nobody else's name, not even that of another call of this process: whoever finds another in its place has lost it. */
  holder: string;
  /** The call has ended: nobody renews it any longer. */
  release(): void;
}

/** The keys of the calls that this process is at, renewed together for as long as there are any. */
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

  function rest(): void {
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
          if (held.size === 0) rest();
        },
      };
    },
    times,
    stop: rest,
  };
}

/** For whoever is alone on the store: every call that holds a key has died. */
export const endAllKeyLeases = endKeyLeases;
