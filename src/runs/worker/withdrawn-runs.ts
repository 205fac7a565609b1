import { type Store, StoreUnavailable } from "../../store/db.ts";
import { forgetUnsent } from "../journal/journal.ts";
import { withdrawHeldRuns, withdrawQueuedRuns } from "../queue/queue.ts";

/**
 * Runs whose callers were refused, because nothing says whether their commit happened. Nothing of them was sent by this process. One
 * that is stored after all would run, though its caller may have asked again. So it is cancelled, as soon as the store
 * responds.
 */
export interface WithdrawnRuns {
  /** The run was refused with this error. `where` it would be now: held by this worker, which has given it up, or in the queue. */
  add(runId: string, error: unknown, where?: Where): void;
  /** Cancels those that are stored: they are due, and the worker that claims them ends them. Returns how many. */
  cancel(): Promise<number>;
  /** Looks once more for those that are left. */
  stop(): Promise<void>;
}

type Where = "held" | "queued";

/** A commit that was under way may arrive after the first look. */
const looksMax = 4;
const runsMax = 10_000;
const batchMax = 500;
/** Other workers may begin a run of the queue. So the first look does not wait for the next heartbeat. */
const firstLookMilliseconds = 250;

const withdrawFrom = { held: withdrawHeldRuns, queued: withdrawQueuedRuns } as const;

/** `onCancelled`: runs are due that a worker only has to end. */
export function createWithdrawnRuns(store: Store, now: () => Date, onCancelled: () => void): WithdrawnRuns {
  const looks: Record<Where, Map<string, number>> = { held: new Map(), queued: new Map() };
  let firstLook: NodeJS.Timeout | undefined;
  let stopped = false;

  async function cancelIn(where: Where): Promise<number> {
    const left = looks[where];
    let count = 0;
    const all = [...left.keys()].sort();
    while (all.length > 0) {
      const batch = all.splice(0, batchMax);
      const found = await store.transaction(async (db) => {
        const ids = await withdrawFrom[where](db, batch, now().toISOString());
        // Another worker may have begun a run of the queue, and what it has noted may be sent.
        if (where === "held") for (const id of ids) await forgetUnsent(db, id);
        return ids;
      });
      count += found.length;
      for (const id of batch) {
        const done = (left.get(id) ?? 0) + 1;
        if (found.includes(id) || done >= looksMax) left.delete(id);
        else left.set(id, done);
      }
    }
    return count;
  }

  async function cancel(): Promise<number> {
    const count = (await cancelIn("queued")) + (await cancelIn("held"));
    if (count > 0) onCancelled();
    return count;
  }

  function lookSoon(): void {
    if (stopped) return;
    firstLook ??= setTimeout(() => {
      firstLook = undefined;
      // Nothing is lost: the next look finds the same runs.
      cancel().catch(lookSoon);
    }, firstLookMilliseconds).unref();
  }

  return {
    add(runId, error, where = "held") {
      if (!(error instanceof StoreUnavailable) || error.reason !== "unreachable") return;
      if (looks.held.size + looks.queued.size >= runsMax) return;
      looks[where].set(runId, 0);
      lookSoon();
    },
    cancel,
    async stop() {
      stopped = true;
      clearTimeout(firstLook);
      // The store is still away: whether these runs were stored, nobody can tell now. docs/reliability.md says that they may run.
      await cancel().catch(() => {});
    },
  };
}
