/** Something that is to happen at a moment of the clock. */
export interface Plan {
  at: number;
  work: () => void;
  /** Called off: it stays where it is and is passed over when its turn comes. */
  isOff: boolean;
}

/** What is planned, the earliest first; of two for one moment, the one that was planned first. */
export interface Plans {
  add(at: number, work: () => void): Plan;
  /** The next one that is due by this moment, taken out; null where nothing is. */
  takeDue(by: number): Plan | null;
  nextAt(): number | null;
}

interface Placed extends Plan {
  order: number;
}

/** A heap: a campaign triggered a thousand times a second plans thousands of moments ahead, and none may wait for a search. */
export function createPlans(): Plans {
  const heap: Placed[] = [];
  let count = 0;

  function sinkFirst(): void {
    let at = 0;
    for (;;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const child = isBefore(heap[right], heap[left]) ? right : left;
      if (!isBefore(heap[child], heap[at])) return;
      swap(heap, at, child);
      at = child;
    }
  }

  function takeFirst(): Plan | null {
    const first = heap[0] ?? null;
    const last = heap.pop();
    if (last && last !== first) {
      heap[0] = last;
      sinkFirst();
    }
    return first;
  }

  function first(): Plan | null {
    while (heap[0]?.isOff) takeFirst();
    return heap[0] ?? null;
  }

  return {
    add(at, work) {
      const plan = { at, work, isOff: false, order: count++ };
      let index = heap.push(plan) - 1;
      for (let parent = (index - 1) >> 1; isBefore(heap[index], heap[parent]); parent = (index - 1) >> 1) {
        swap(heap, index, parent);
        index = parent;
      }
      return plan;
    },
    takeDue: (by) => ((first()?.at ?? Number.POSITIVE_INFINITY) <= by ? takeFirst() : null),
    nextAt: () => first()?.at ?? null,
  };
}

/** False where either is missing, so that a walk ends at the heap's edge. */
function isBefore(a: Placed | undefined, b: Placed | undefined): boolean {
  if (!a || !b) return false;
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function swap(heap: Placed[], a: number, b: number): void {
  const [first, second] = [heap[a], heap[b]];
  if (!first || !second) return;
  heap[a] = second;
  heap[b] = first;
}
