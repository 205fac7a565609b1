import type { Db, Store } from "./db.ts";

/** Enough to share one round trip and one commit among all who came meanwhile. */
const batchMax = 128;
/** While one is being committed, the next is filled. */
const underWayMax = 2;

/** `key` names the row that the work locks first. Within one transaction the works begin in the order of their keys. */
export type SharedCommit = <T>(work: (db: Db) => Promise<T>, key: string) => Promise<T>;

interface Job {
  key: string;
  work: (db: Db) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

/**
 * Small transactions of one process that arrive together become one, as SQLite's driver has it by itself: on PostgreSQL each
 * would cost three round trips and a commit of its own. Their statements are in flight side by side. Each stands for itself
 * none the less: where one fails, nothing of them is kept, and each is tried alone. They lock rows in the order of their keys, and
 * so does whoever else locks several of these rows: otherwise two of them would wait for each other.
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
      if (batch.length === 1) batch[0]?.reject(error);
      else await Promise.all(batch.map((job) => store.transaction(job.work).then(job.resolve, job.reject)));
    }
  }

  return (work, key) =>
    new Promise((resolve, reject) => {
      queue.push({ key, work, resolve: resolve as Job["resolve"], reject });
      schedule();
    });
}

/** Waits for all of them, also where one fails: none may still be writing when the transaction is undone. */
async function allDone(works: Promise<unknown>[]): Promise<unknown[]> {
  const ends = await Promise.allSettled(works);
  return ends.map((end) => {
    if (end.status === "rejected") throw end.reason;
    return end.value;
  });
}
