import type { Store } from "../../store/db.ts";
import type { PlannedRun } from "../run.ts";
import { claimDueRuns, nextDueAt } from "./queue.store.ts";

/** The line of runs that are due, as one worker sees it. */
export interface DueQueue {
  /**
   * Takes those in front, up to a limit, and none of the organizations in `except`. `next` is when the one in front was or will be
   * due; null where there is none.
   */
  claim(
    times: { now: string; leaseUntil: string },
    limit: number,
    except?: readonly string[],
  ): Promise<{ runs: PlannedRun[]; next: string | null }>;
  /** The next claim looks at the whole line: somebody may have come in before the front. */
  rescan(): void;
}

const beginning = "";

/**
 * PostgreSQL keeps the places of those who left the line until it is vacuumed, and whoever looks from the beginning walks over
 * all of them: thousands, where the line is long and claims are many. So each look begins where the one before found somebody.
 * Some come in before that: whoever was told to stop, or whose time is over, and those whose time was read before they were kept.
 */
export function createDueQueue(store: Store, worker: string): DueQueue {
  let front = beginning;
  let isAllWanted = false;
  let hasPassedOver = false;
  return {
    async claim(times, limit, except = []) {
      // Those who were passed over before may stand before the front.
      const from = isAllWanted || (hasPassedOver && except.length === 0) ? beginning : front;
      isAllWanted = false;
      hasPassedOver = except.length > 0;
      let next = await nextDueAt(store, from, except);
      if (from !== beginning && !isDue(next, times.now)) next = await nextDueAt(store, beginning, except);
      front = isDue(next, times.now) ? next : beginning;
      if (front === beginning) return { runs: [], next };
      const due = { ...times, dueFrom: front };
      return { runs: await store.transaction((db) => claimDueRuns(db, worker, due, limit, except)), next };
    },
    rescan() {
      isAllWanted = true;
    },
  };
}

const isDue = (runAt: string | null, now: string): runAt is string => runAt !== null && runAt <= now;
