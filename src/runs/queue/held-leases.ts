import type { ElapsedTime, Moment } from "../../kernel/elapsed-time.ts";
import { isoTime } from "../../kernel/times.ts";
import { type Lease, leaseFrom } from "../../steps/fence.ts";
import type { Store } from "../../store/db.ts";
import { type Claim, renewLeases } from "./queue.store.ts";

/** The leases that a worker holds. */
export interface HeldLeases {
  /** When a lease that is taken now ends, for the store. */
  until(): string;
  /** A lease as this process measures it, from the moment at which the store was asked for it. */
  from(askedAt?: Moment): Lease;
  keep(claim: Claim, lease: Lease): void;
  drop(claim: Claim): void;
  /** Renews all of them, in one transaction. A claim that another worker has taken over is not renewed. */
  renew(): Promise<void>;
}

interface Parts {
  store: Store;
  worker: string;
  leaseSeconds: number;
  now: () => Date;
  time: ElapsedTime;
}

export function createHeldLeases({ store, worker, leaseSeconds, now, time }: Parts): HeldLeases {
  // Keyed by claim, not by run: a worker that loses a run may claim it again, and then works on it twice for a while.
  const leases = new Map<Claim, Lease>();
  const until = () => isoTime(new Date(now().getTime() + leaseSeconds * 1000));
  return {
    until,
    from: (askedAt = time.mark()) => leaseFrom(askedAt, leaseSeconds, time),
    keep: (claim, lease) => void leases.set(claim, lease),
    drop: (claim) => void leases.delete(claim),
    async renew() {
      const held = [...leases.keys()].map(({ runId }) => runId);
      if (held.length === 0) return;
      const askedAt = time.mark();
      const ends = until();
      const renewed = await store.transaction((db) => renewLeases(db, worker, held, ends));
      const fences = new Map(renewed.map(({ id, fence }) => [id, fence]));
      for (const [claim, lease] of leases) {
        if (fences.get(claim.runId) === claim.fence) lease.renewed(askedAt, leaseSeconds);
      }
    },
  };
}
