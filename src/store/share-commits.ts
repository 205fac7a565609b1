import { keepTrace } from "../kernel/tracing.ts";
import { type Db, type Store, StoreUnavailable } from "./db.ts";

/** Enough for all concurrent callers to share one round trip and one commit. */
const batchMax = 128;
/** While one batch commits, the next one fills. */
const underWayMax = 2;

/** `key` names the row that the work locks first. Within one transaction the works start in the order of their keys. */
export type SharedCommit = <T>(work: (db: Db) => Promise<T>, key: string) => Promise<T>;

interface Job {
  key: string;
  work: (db: Db) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

/**
 * Combines small transactions that arrive together into one, as the SQLite driver always does: on PostgreSQL each would
 * cost three round trips and its own commit. Their statements run concurrently. Each stays independent: if one fails,
 * all are rolled back and each runs alone. They lock rows in the order of their keys, and so must every other
 * transaction that locks several of these rows; otherwise two could deadlock.
 */
export function shareCommits(store: Store): SharedCommit {
  if (store.kind === "sqlite") return (work) => store.transaction(work);
  const queue: Job[] = [];
  let underWay = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled || underWay >= underWayMax || queue.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      underWay++;
      void drain(queue.splice(0, batchMax)).finally(() => {
        underWay--;
        schedule();
      });
    });
  }

  async function drain(batch: Job[]): Promise<void> {
    try {
      const ordered = batch.toSorted((a, b) => (a.key < b.key ? -1 : 1));
      const values = await store.transaction((db) => allDone(ordered.map(({ work }) => work(db))));
      for (const [index, { resolve }] of ordered.entries()) resolve(values[index]);
    } catch (error) {
      // If it is unreachable, the commit may have happened, and its answer got lost: nothing may run again. If it is
      // overloaded or accepts no writes, that would not help.
      const isOver =
        error instanceof StoreUnavailable && ["unreachable", "overloaded", "read-only"].includes(error.reason);
      if (isOver || batch.length === 1) for (const { reject } of batch) reject(error);
      else await Promise.all(batch.map((job) => store.transaction(job.work).then(job.resolve, job.reject)));
    }
  }

  return (work, key) =>
    new Promise((resolve, reject) => {
      queue.push({ key, work: keepTrace(work), resolve: resolve as Job["resolve"], reject });
      schedule();
    });
}

/** Waits for all works, even if one fails: none may still write when the transaction rolls back. */
async function allDone(works: Promise<unknown>[]): Promise<unknown[]> {
  const ends = await Promise.allSettled(works);
  return ends.map((end) => {
    if (end.status === "rejected") throw end.reason;
    return end.value;
  });
}
