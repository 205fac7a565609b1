import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFairQueue } from "./fair-queue.ts";

const organizations = ["a", "b", "c", "d"];
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("add" as const), organization: fc.constantFrom(...organizations) }),
    fc.record({ do: fc.constant("turn" as const), jobs: fc.integer({ min: 1, max: 5 }), back: fc.boolean() }),
  ),
  { maxLength: 200 },
);

describe("organizations take turns", () => {
  test("every organization with jobs gets a turn before another gets a second one", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const queue = createFairQueue<number>();
        /** The turns of others since an organization began to wait. */
        const passed = new Map<string, string[]>();
        let job = 0;
        for (const step of all) {
          if (step.do === "add") {
            if (queue.waitingOf(step.organization) === 0) passed.set(step.organization, []);
            queue.add(step.organization, job++);
            continue;
          }
          const turn = queue.next(() => true);
          if (turn === null) continue;
          expect(new Set(passed.get(turn)).size).toBe(passed.get(turn)?.length);
          for (const [organization, others] of passed) if (organization !== turn) others.push(turn);
          const taken = Array.from({ length: step.jobs }, () => queue.take(turn)).filter((each) => each !== undefined);
          if (step.back) queue.requeue(turn, taken);
          if (queue.waitingOf(turn) === 0) passed.delete(turn);
          else passed.set(turn, []);
        }
      }),
    );
  });

  test("each organization's jobs come in order, and none is lost or done twice", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const queue = createFairQueue<{ organization: string; number: number }>();
        const done: { organization: string; number: number }[] = [];
        let added = 0;
        const turn = (jobs: number, back: boolean): boolean => {
          const organization = queue.next(() => true);
          if (organization === null) return false;
          const taken = Array.from({ length: jobs }, () => queue.take(organization)).filter(
            (each) => each !== undefined,
          );
          if (back) queue.requeue(organization, taken);
          else done.push(...taken);
          return true;
        };
        for (const step of all) {
          if (step.do === "add") queue.add(step.organization, { organization: step.organization, number: added++ });
          else turn(step.jobs, step.back);
        }
        while (turn(3, false));
        expect(done.length).toBe(added);
        expect(queue.isEmpty()).toBe(true);
        for (const organization of organizations) {
          const numbers = done.filter((job) => job.organization === organization).map(({ number }) => number);
          expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
        }
      }),
    );
  });

  test("an organization that may not start is skipped, and keeps its turn", () => {
    const queue = createFairQueue<number>();
    queue.add("a", 1);
    queue.add("b", 2);
    expect(queue.next((organization) => organization !== "a")).toBe("b");
    expect(queue.next(() => true)).toBe("a");
  });

  test("the key with the most jobs is known, and gives up its last one", () => {
    const queue = createFairQueue<number>();
    for (const [key, job] of [
      ["a", 1],
      ["b", 2],
      ["b", 3],
    ] as const) {
      queue.add(key, job);
    }
    expect([queue.longest(), queue.size()]).toEqual(["b", 3]);
    expect(queue.takeLast("b")).toBe(3);
    expect([queue.take("a"), queue.take("b"), queue.take("b")]).toEqual([1, 2, undefined]);
    expect([queue.longest(), queue.size(), queue.isEmpty()]).toEqual([null, 0, true]);
  });
});
