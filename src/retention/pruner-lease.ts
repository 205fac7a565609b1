import { randomUUID } from "node:crypto";
import type { Db, Store } from "../store/db.ts";
import { sharedNow } from "../store/shared-time.ts";
import { deleteLease, moveLeaseTimesBack, renewLease, takeLease } from "./pruner-lease.store.ts";

/** Another node has the lease: what this one read may be gone. */
export class LeaseLost extends Error {}

const name = "retention";
const leaseMilliseconds = 5 * 60_000;

/** One node of a region prunes at a time. */
export interface Lease {
  take(): Promise<boolean>;
  /** The first statement of each transaction of the pruner: throws `LeaseLost`. */
  require(db: Db): Promise<void>;
  end(): Promise<void>;
}

export function createLease(store: Store): Lease {
  const holder = randomUUID();
  const untilFrom = (now: Date): string => new Date(now.getTime() + leaseMilliseconds).toISOString();
  const nowOf = (db: Db) => sharedNow(db, store.kind, new Date());
  return {
    take: () =>
      store.transaction(async (db) => {
        const now = await nowOf(db);
        return takeLease(db, name, holder, now.toISOString(), untilFrom(now));
      }),
    async require(db) {
      if (!(await renewLease(db, name, holder, untilFrom(await nowOf(db))))) throw new LeaseLost();
    },
    end: () => store.transaction((db) => deleteLease(db, name, holder)),
  };
}

/** After the clock was set back: a node that died keeps the others from pruning no longer than usual. */
export function movePrunerLeaseBack(db: Db, now: Date): Promise<number> {
  const to = new Date(now.getTime() + leaseMilliseconds);
  return moveLeaseTimesBack(db, { latest: new Date(to.getTime() + leaseMilliseconds), to });
}
