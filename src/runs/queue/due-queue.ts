import type { Store } from "../../store/db.ts";
import { isReference, readTextInTurns } from "../../store/large-texts.ts";
import { type PlannedRow, type PlannedRun, readDamagedRun, readPlannedRun } from "../record/run-record.ts";
import { claimDueRuns, nextDueAt } from "./queue.store.ts";

/** The queue of due runs, as one worker sees it. */
export interface DueQueue {
  /**
   * Claims the oldest due runs up to a limit, except those of the organizations in `except`. `next` is when the first
   * run of the queue was or will be due; null if there is none.
   */
  claim(
    times: { now: string; leaseUntil: string },
    limit: number,
    except?: readonly string[],
  ): Promise<{ runs: PlannedRun[]; next: string | null }>;
  /** The next claim scans the whole queue: a run may have become due before the front. */
  rescan(): void;
}

const beginning = "";

/**
 * PostgreSQL keeps dead index entries until they are vacuumed, and a scan from the beginning reads all of them:
 * thousands in a long, busy queue. So each scan begins where the last one found a run. Some runs become due before that
 * point: cancelled runs, runs of an owner who may no longer act, and runs that were committed later than their time.
 */
export function createDueQueue(store: Store, worker: string): DueQueue {
  let front = beginning;
  let isAllWanted = false;
  let hasPassedOver = false;
  return {
    async claim(times, limit, except = []) {
      // Runs that were skipped before may be due before the front.
      const from = isAllWanted || (hasPassedOver && except.length === 0) ? beginning : front;
      isAllWanted = false;
      hasPassedOver = except.length > 0;
      let next = await nextDueAt(store, from, except);
      if (from !== beginning && !isDue(next, times.now)) next = await nextDueAt(store, beginning, except);
      front = isDue(next, times.now) ? next : beginning;
      if (front === beginning) return { runs: [], next };
      const due = { ...times, dueFrom: front };
      const rows = await store.transaction((db) => claimDueRuns(db, worker, due, limit, except));
      return { runs: await readRuns(store, rows), next };
    },
    rescan() {
      isAllWanted = true;
    },
  };
}

const isDue = (runAt: string | null, now: string): runAt is string => runAt !== null && runAt <= now;

/**
 * All of them are claimed already. One that cannot be read is worked on like the others: its worker fails, and gives it up
 * after as many tries as any run.
 */
async function readRuns(store: Store, rows: PlannedRow[]): Promise<PlannedRun[]> {
  const runs: PlannedRun[] = [];
  for (const row of rows) {
    try {
      if (isReference(row.params)) row.params = await readTextInTurns(store, row.params);
      runs.push(await readPlannedRun(store, row));
    } catch (error) {
      runs.push(readDamagedRun(row, error));
    }
  }
  return runs;
}
