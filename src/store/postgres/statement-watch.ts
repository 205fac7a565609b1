import { StoreUnavailable } from "../db.ts";

/** Tracks running statements and their start times: the database may stop responding silently. */
export interface StatementWatch<Owner> {
  /** Returns a promise that also rejects at the deadline, which `onOverdue` hears first, or when its owner is given up. */
  over<T>(owner: Owner, work: Promise<T>, deadlineMilliseconds: number, onOverdue?: () => void): Promise<T>;
  /** Whether a statement of this owner has run for longer than this. */
  isSlow(owner: Owner, milliseconds: number): boolean;
  /** Rejects all running statements of this owner. */
  refuseAll(owner: Owner, why: string): void;
  /** Rejects statements past their deadline and returns their owners. */
  refuseOverdue(): Set<Owner>;
}

interface Entry<Owner> {
  owner: Owner;
  since: number;
  deadline: number;
  onOverdue: (() => void) | undefined;
  refuse(error: StoreUnavailable): void;
}

export function createStatementWatch<Owner>(): StatementWatch<Owner> {
  // In the order in which they started.
  const entries = new Set<Entry<Owner>>();

  const refuse = (entry: Entry<Owner>, why: string): void => {
    entries.delete(entry);
    entry.refuse(new StoreUnavailable("unreachable", new Error(why)));
  };

  return {
    over: (owner, work, deadlineMilliseconds, onOverdue) =>
      new Promise((resolve, reject) => {
        const since = performance.now();
        const entry = { owner, since, deadline: since + deadlineMilliseconds, onOverdue, refuse: reject };
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
        entry.onOverdue?.();
        refuse(entry, "The database did not respond in time.");
      }
      return owners;
    },
  };
}
