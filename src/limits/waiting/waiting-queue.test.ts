import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createWaitingQueue } from "./waiting-queue.ts";

const lineOf = (items: string[]) => {
  const queue = createWaitingQueue<string>((item) => item.charAt(0));
  for (const item of items) queue.add(item.charAt(0), item);
  return queue;
};

describe("the queue in one process", () => {
  test("callers take turns, and each keeps its own order", () => {
    expect([...lineOf(["a1", "a2", "a3", "b1", "c1", "c2"]).inOrder()]).toEqual(["a1", "b1", "c1", "a2", "c2", "a3"]);
  });

  test("a caller that was served moves behind the others", () => {
    const queue = lineOf(["a1", "a2", "b1", "b2"]);
    queue.served(["a1"]);
    expect([...queue.inOrder()]).toEqual(["b1", "a2", "b2"]);
  });

  test("a call that leaves without a turn costs no other caller its turn", () => {
    const queue = lineOf(["a1", "a2", "b1"]);
    queue.remove(["a1", "nobody"]);
    expect([...queue.inOrder()]).toEqual(["a2", "b1"]);
    expect(queue.size).toBe(2);
  });

  test("the shown order is the order of admission", () => {
    const items = fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(50)).map(([caller, n]) => caller + n));
    fc.assert(
      fc.property(items, (all) => {
        const queue = lineOf(all);
        const shown = [...queue.inOrder()];
        const served: string[] = [];
        while (queue.size > 0) {
          const [next = ""] = queue.inOrder();
          queue.served([next]);
          served.push(next);
        }
        expect(served).toEqual(shown);
      }),
    );
  });
});
