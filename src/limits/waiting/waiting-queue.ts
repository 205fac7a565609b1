/** Waiting calls of one process: round-robin between callers, first in first out within a caller. */
export interface WaitingQueue<T> {
  readonly size: number;
  sizeOf(caller: string): number;
  add(caller: string, item: T): void;
  /** In the order of admission, if no call arrives or leaves. */
  inOrder(): Iterable<T>;
  /** They were admitted: their callers move behind the others. */
  served(items: readonly T[]): void;
  /** They left without admission. */
  remove(items: readonly T[]): void;
}

export function createWaitingQueue<T>(callerOf: (item: T) => string): WaitingQueue<T> {
  // A Map keeps the order in which keys were added: the first is next.
  const queues = new Map<string, T[]>();
  let size = 0;

  function takeOut(item: T): { caller: string; queue: T[] } | null {
    const caller = callerOf(item);
    const queue = queues.get(caller);
    const index = queue?.indexOf(item) ?? -1;
    if (!queue || index < 0) return null;
    queue.splice(index, 1);
    if (queue.length === 0) queues.delete(caller);
    size--;
    return { caller, queue };
  }

  return {
    get size() {
      return size;
    },
    sizeOf: (caller) => queues.get(caller)?.length ?? 0,
    add(caller, item) {
      const queue = queues.get(caller);
      if (queue) queue.push(item);
      else queues.set(caller, [item]);
      size++;
    },
    *inOrder() {
      const all = [...queues.values()];
      const rounds = Math.max(0, ...all.map((queue) => queue.length));
      for (let round = 0; round < rounds; round++) {
        for (const queue of all) {
          const item = queue[round];
          if (item !== undefined) yield item;
        }
      }
    },
    served(items) {
      for (const item of items) {
        const left = takeOut(item);
        if (!left || left.queue.length === 0) continue;
        queues.delete(left.caller);
        queues.set(left.caller, left.queue);
      }
    },
    remove(items) {
      for (const item of items) takeOut(item);
    },
  };
}
