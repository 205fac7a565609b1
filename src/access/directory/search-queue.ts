import { Problem } from "../../kernel/problem.ts";

interface Queue {
  waiting: number;
  last: Promise<unknown>;
}

const waitingMax = 16;

/** Runs work for a directory, after the work that the directory waits for already. */
export type InTurn = <T>(directoryId: string, work: () => Promise<T>) => Promise<T>;

/**
 * Runs one search at a time for each directory. A search over a hundred thousand people takes a second of processor
 * time; this way a directory waits for at most one search of each other directory.
 */
export function createSearchQueue(): InTurn {
  /** By directory; only directories with searches under way. */
  const queues = new Map<string, Queue>();
  return async (directoryId, work) => {
    const queue = queues.get(directoryId) ?? { waiting: 0, last: Promise.resolve() };
    if (queue.waiting >= waitingMax) {
      throw new Problem("rate_limited", `The directory has ${waitingMax} searches under way.`, {
        headers: { "retry-after": "1" },
      });
    }
    queues.set(directoryId, queue);
    queue.waiting++;
    const mine = queue.last.then(work);
    // Its own caller gets the failure; the next search begins all the same.
    queue.last = mine.catch(() => {});
    try {
      return await mine;
    } finally {
      if (--queue.waiting === 0) queues.delete(directoryId);
    }
  };
}
