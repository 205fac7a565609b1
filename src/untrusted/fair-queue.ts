/** Waiting jobs, a queue for each key (an organization, the address of a caller); the keys take turns. */
export interface FairQueue<Job> {
  /** At the end of the key's queue. */
  add(key: string, job: Job): void;
  /** At the front, in the order given: they have waited once already. */
  putBack(key: string, jobs: readonly Job[]): void;
  /** The key whose turn it is, among those with work that may go now; it will be last next time. */
  next(mayGo: (key: string) => boolean): string | null;
  /** Whether there is such a key; nobody's turn passes. */
  has(mayGo: (key: string) => boolean): boolean;
  /** The first of a key's jobs. */
  take(key: string): Job | undefined;
  /** The last of a key's jobs: the one that would wait longest. */
  takeLast(key: string): Job | undefined;
  /** Removes every job at the front of a queue that has waited too long. */
  dropWhile(isStale: (job: Job) => boolean): { key: string; job: Job }[];
  waitingOf(key: string): number;
  /** The key with the most jobs; null where nothing waits. */
  longest(): string | null;
  size(): number;
  isEmpty(): boolean;
}

/** Round robin: however many jobs one key has, another's first job waits for at most one turn of each. */
export function createFairQueue<Job>(): FairQueue<Job> {
  // In the order of turns. A key without jobs is not there, so nothing is kept of it.
  const queues = new Map<string, Job[]>();
  let size = 0;

  function queueOf(key: string): Job[] {
    let queue = queues.get(key);
    if (!queue) {
      queue = [];
      queues.set(key, queue);
    }
    return queue;
  }

  function removed(key: string, queue: Job[] | undefined, job: Job | undefined): Job | undefined {
    if (job !== undefined) size--;
    if (queue?.length === 0) queues.delete(key);
    return job;
  }

  return {
    add(key, job) {
      queueOf(key).push(job);
      size++;
    },
    putBack(key, jobs) {
      if (jobs.length === 0) return;
      queueOf(key).unshift(...jobs);
      size += jobs.length;
    },
    next(mayGo) {
      for (const [key, queue] of queues) {
        if (!mayGo(key)) continue;
        queues.delete(key);
        queues.set(key, queue);
        return key;
      }
      return null;
    },
    has: (mayGo) => queues.keys().some(mayGo),
    take(key) {
      const queue = queues.get(key);
      return removed(key, queue, queue?.shift());
    },
    takeLast(key) {
      const queue = queues.get(key);
      return removed(key, queue, queue?.pop());
    },
    dropWhile(isStale) {
      const dropped: { key: string; job: Job }[] = [];
      for (const [key, queue] of queues) {
        while (queue[0] !== undefined && isStale(queue[0])) {
          dropped.push({ key, job: removed(key, queue, queue.shift()) as Job });
        }
      }
      return dropped;
    },
    waitingOf: (key) => queues.get(key)?.length ?? 0,
    longest() {
      let found: string | null = null;
      let most = 0;
      for (const [key, { length }] of queues) if (length > most) [found, most] = [key, length];
      return found;
    },
    size: () => size,
    isEmpty: () => size === 0,
  };
}
