import type { Db, Store } from "../../store/db.ts";
import { isReference, readTextInTurns } from "../../store/large-texts.ts";
import { type PlannedRow, type PlannedRun, readDamagedRun, readPlannedRun } from "../record/run-record.ts";
import { claimDueRuns, nextDueAt } from "./queue.store.ts";
import { claimEntries, nextEntryAt } from "./queue-entries.store.ts";

/** The queue of due runs, as one worker sees it. */
export interface DueQueue {
  /**
   * Claims the oldest due runs up to a limit, except those of the organizations in `except`. `next` is when the first
   * run of the queue was or will be due; null if there is none. Of runs that no worker has begun, only the entry is claimed.
   */
  claim(
    times: { now: string; leaseUntil: string },
    limit: number,
    except?: readonly string[],
  ): Promise<{ runs: PlannedRun[]; haveBegun: boolean; next: string | null }>;
  /** The next claim scans the whole queue: a run may have become due before the front. */
  rescan(): void;
}

/** Runs that no worker has begun have entries of their own; all others are found by the index of their rows. */
interface Part {
  haveBegun: boolean;
  nextAt(db: Db, times: { from: string; now: string }, except: readonly string[]): Promise<string | null>;
  claim: typeof claimDueRuns;
}
const parts: readonly Part[] = [
  { haveBegun: true, nextAt: nextDueAt, claim: claimDueRuns },
  { haveBegun: false, nextAt: nextEntryAt, claim: claimEntries },
];

export function createDueQueue(store: Store, worker: string): DueQueue {
  const fronts = parts.map((part) => createFront(store, part));
  return {
    async claim(times, limit, except = []) {
      const heads = await Promise.all(fronts.map((front) => front.findNext(times.now, except)));
      const ordered = heads.map((next, index) => ({ next, front: fronts[index] as Front })).sort(byAge);
      const next = ordered[0]?.next ?? null;
      for (const { next: head, front } of ordered) {
        if (!isDue(head, times.now)) continue;
        const due = { ...times, dueFrom: head };
        const rows = await store.transaction((db) => front.part.claim(db, worker, due, limit, except));
        // Another worker may have been faster. Then the other part may still have due runs.
        if (rows.length === 0) continue;
        front.pass(rows);
        return { runs: await readRuns(store, rows), haveBegun: front.part.haveBegun, next };
      }
      return { runs: [], haveBegun: true, next };
    },
    rescan() {
      for (const front of fronts) front.rescan();
    },
  };
}

const last = "\uffff";
const byAge = (one: { next: string | null }, other: { next: string | null }): number =>
  (one.next ?? last) < (other.next ?? last) ? -1 : 1;

interface Front {
  part: Part;
  /** When the first run is or was due. */
  findNext(now: string, except: readonly string[]): Promise<string | null>;
  /** These were claimed. Entries stay in the queue until their runs begin or end, and need not be read again. */
  pass(rows: readonly PlannedRow[]): void;
  rescan(): void;
}

const beginning = "";

/**
 * PostgreSQL keeps dead index entries until they are vacuumed, and a scan from the beginning reads all of them:
 * thousands in a long, busy queue. So each scan begins where the last one found a run. Some runs become due before that
 * point: cancelled runs, runs of an owner who may no longer act, and runs that were committed later than their time.
 */
function createFront(store: Store, part: Part): Front {
  let front = beginning;
  let isAllWanted = false;
  let hasPassedOver = false;
  return {
    part,
    async findNext(now, except) {
      // Runs that were skipped before may be due before the front.
      const from = isAllWanted || (hasPassedOver && except.length === 0) ? beginning : front;
      isAllWanted = false;
      hasPassedOver = except.length > 0;
      let next = await part.nextAt(store, { from, now }, except);
      if (from !== beginning && !isDue(next, now)) next = await part.nextAt(store, { from: beginning, now }, except);
      front = isDue(next, now) ? next : beginning;
      return next;
    },
    pass(rows) {
      front = rows.at(-1)?.run_at ?? front;
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
