import type { Db, Store } from "./db.ts";

/** Enough to share one round trip and one commit among all who came meanwhile. */
const batchMax = 128;
/** While one is being committed, the next is filled. */
const underWayMax = 2;

interface Job {
  work: (db: Db) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

/**
 * Small transactions of one process that arrive together become one, as SQLite's driver has it by itself: on PostgreSQL each
 * would cost three round trips and a commit of its own. Their statements are in flight side by side. Each stands for itself
 * none the less: where one fails, nothing of them is kept, and each is tried alone. For work that locks nothing which another
 * of them could hold, in whatever order.
 */
export function shareCommits(store: Store): Db["transaction"] {
  if (store.kind === "sqlite") return store.transaction;
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
      const values = await store.transaction((db) => allDone(batch.map(({ work }) => work(db))));
      for (const [index, { resolve }] of batch.entries()) resolve(values[index]);
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else await Promise.all(batch.map((job) => store.transaction(job.work).then(job.resolve, job.reject)));
    }
  }

  return (work) =>
    new Promise((resolve, reject) => {
      queue.push({ work, resolve: resolve as Job["resolve"], reject });
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
