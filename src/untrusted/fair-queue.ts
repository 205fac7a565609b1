/** One FIFO queue per key (an organization, or a caller's address); the keys take turns. */
export interface FairQueue<Job> {
  /** Appends to the key's queue. */
  add(key: string, job: Job): void;
  /** Returns jobs to the front, in the given order: they have waited once already. */
  requeue(key: string, jobs: readonly Job[]): void;
  /** The next key in turn, among those with jobs that may start; it then moves to the end. */
  next(mayStart: (key: string) => boolean): string | null;
  /** Whether there is such a key. Takes no turn. */
  has(mayStart: (key: string) => boolean): boolean;
  /** Removes the first job of a key. */
  take(key: string): Job | undefined;
  /** Removes the last job of a key: the one that would wait longest. */
  takeLast(key: string): Job | undefined;
  /** Removes stale jobs from the front of every queue. */
  dropWhile(isStale: (job: Job) => boolean): { key: string; job: Job }[];
  waitingOf(key: string): number;
  /** The key with the most jobs; null if nothing waits. */
  longest(): string | null;
  size(): number;
  isEmpty(): boolean;
}

/** Round robin: however many jobs one key has, another's first job waits for at most one turn of each. */
export function createFairQueue<Job>(): FairQueue<Job> {
  // In turn order. A key without jobs has no entry.
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
    requeue(key, jobs) {
      if (jobs.length === 0) return;
      queueOf(key).unshift(...jobs);
      size += jobs.length;
    },
    next(mayStart) {
      for (const [key, queue] of queues) {
        if (!mayStart(key)) continue;
        queues.delete(key);
        queues.set(key, queue);
        return key;
      }
      return null;
    },
    has: (mayStart) => queues.keys().some(mayStart),
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
