import { type Store, StoreUnavailable } from "../../store/db.ts";
import { forgetUnsent } from "../journal/journal.ts";
import { withdrawRuns } from "../queue/queue.ts";

/**
 * Runs whose callers were refused, because nothing says whether their commit happened. Nobody works on them, and nothing
 * of them was sent. One that is stored after all would run once its lease ends, though its caller may have asked again.
 * So it is cancelled, as soon as the store responds.
 */
export interface WithdrawnRuns {
  /** The run was refused with this error. */
  add(runId: string, error: unknown): void;
  /** Cancels those that are stored: they are due, and the worker that claims them ends them. Returns how many. */
  cancel(): Promise<number>;
}

/** A commit that was under way may arrive after the first look. */
const looksMax = 3;
const runsMax = 10_000;
const batchMax = 500;

export function createWithdrawnRuns(store: Store, now: () => Date): WithdrawnRuns {
  const looks = new Map<string, number>();
  return {
    add(runId, error) {
      if (!(error instanceof StoreUnavailable) || error.reason !== "unreachable" || looks.size >= runsMax) return;
      looks.set(runId, 0);
    },
    async cancel() {
      let count = 0;
      const all = [...looks.keys()].sort();
      while (all.length > 0) {
        const batch = all.splice(0, batchMax);
        const found = await store.transaction(async (db) => {
          const ids = await withdrawRuns(db, batch, now().toISOString());
          for (const id of ids) await forgetUnsent(db, id);
          return ids;
        });
        count += found.length;
        for (const id of batch) {
          const done = (looks.get(id) ?? 0) + 1;
          if (found.includes(id) || done >= looksMax) looks.delete(id);
          else looks.set(id, done);
        }
      }
      return count;
    },
  };
}
