import { StoreUnavailable } from "../db.ts";

/** Statements under way, and since when: the database may stop answering without a word. */
export interface Watch<Owner> {
  /** The same promise, which is refused at the deadline or when its owner is given up. */
  over<T>(owner: Owner, work: Promise<T>, deadlineMilliseconds: number): Promise<T>;
  /** Whether something of this owner has been under way for longer than this. */
  isSlow(owner: Owner, milliseconds: number): boolean;
  /** Refuses everything that this owner has under way. */
  refuseAll(owner: Owner, why: string): void;
  /** Refuses what is past its deadline, and returns the owners that it belonged to. */
  refuseOverdue(): Set<Owner>;
}

interface Entry<Owner> {
  owner: Owner;
  since: number;
  deadline: number;
  refuse(error: StoreUnavailable): void;
}

export function createWatch<Owner>(): Watch<Owner> {
  // In the order in which they began.
  const entries = new Set<Entry<Owner>>();

  const refuse = (entry: Entry<Owner>, why: string): void => {
    entries.delete(entry);
    entry.refuse(new StoreUnavailable("unreachable", new Error(why)));
  };

  return {
    over: (owner, work, deadlineMilliseconds) =>
      new Promise((resolve, reject) => {
        const since = performance.now();
        const entry = { owner, since, deadline: since + deadlineMilliseconds, refuse: reject };
        entries.add(entry);
        work.then(
          (value) => {
            entries.delete(entry);
            resolve(value);
          },
          (error) => {
            entries.delete(entry);
            reject(error);
          },
        );
      }),
    isSlow(owner, milliseconds) {
      const before = performance.now() - milliseconds;
      for (const entry of entries) {
        if (entry.since > before) return false;
        if (entry.owner === owner) return true;
      }
      return false;
    },
    refuseAll(owner, why) {
      for (const entry of entries) if (entry.owner === owner) refuse(entry, why);
    },
    refuseOverdue() {
      const now = performance.now();
      const owners = new Set<Owner>();
      for (const entry of entries) {
        if (entry.deadline > now) continue;
        owners.add(entry.owner);
        refuse(entry, "The database did not answer in time.");
      }
      return owners;
    },
  };
}
