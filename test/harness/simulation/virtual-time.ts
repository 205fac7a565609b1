import type { LimitClock } from "../../../src/limits/state/clock.ts";
import type { Store } from "../../../src/store/db.ts";

interface Event {
  at: number;
  order: number;
  work: (() => void) | null;
}

/** Time that moves from event to event. Nothing happens in between, so hours take as long as their events. */
export interface VirtualTime {
  now(): number;
  after(milliseconds: number, work: () => void): () => void;
  /** A clock for the limiter of one process. It stops when the process dies. */
  clockOf(isAlive: () => boolean, random: () => number): LimitClock;
  /** Time stands still while a statement of this store runs. */
  watch(store: Store): Store;
  advanceTo(until: number): Promise<void>;
}

export function createVirtualTime(start: number): VirtualTime {
  const heap: Event[] = [];
  let now = start;
  let order = 0;
  let pending = 0;

  const isBefore = (one: Event, other: Event): boolean =>
    one.at < other.at || (one.at === other.at && one.order < other.order);

  function push(event: Event): void {
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(event, heap[parent] as Event)) break;
      heap[index] = heap[parent] as Event;
      index = parent;
    }
    heap[index] = event;
  }

  function pop(): Event | undefined {
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = index * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Event, heap[child] as Event)) child++;
      if (!isBefore(heap[child] as Event, last)) break;
      heap[index] = heap[child] as Event;
      index = child;
    }
    heap[index] = last;
    return first;
  }

  function after(milliseconds: number, work: () => void): () => void {
    // Whole milliseconds: events of one moment then share a commit.
    const event: Event = { at: now + Math.max(0, Math.ceil(milliseconds)), order: order++, work };
    push(event);
    return () => {
      event.work = null;
    };
  }

  async function settle(): Promise<void> {
    for (let quietTurns = 0; quietTurns < 2; quietTurns++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (pending > 0) quietTurns = -1;
    }
  }

  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    pending++;
    try {
      return await work();
    } finally {
      pending--;
    }
  };

  return {
    now: () => now,
    after,
    clockOf: (isAlive, random) => ({
      wall: () => now,
      steady: () => now - start + 1_000_000,
      random,
      after: (milliseconds, work) => after(milliseconds, () => isAlive() && work()),
    }),
    watch: (store) => ({
      ...store,
      query: (sql, values) => counted(() => store.query(sql, values)),
      transaction: (work) => counted(() => store.transaction(work)),
    }),
    async advanceTo(until) {
      for (;;) {
        await settle();
        const next = heap[0];
        if (!next || next.at > until) break;
        now = next.at;
        while (heap[0]?.at === now) pop()?.work?.();
      }
      now = until;
    },
  };
}
