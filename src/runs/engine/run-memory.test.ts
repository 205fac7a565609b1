import { describe, expect, test } from "vitest";
import { createRunMemory } from "./run-memory.ts";

const sizes = { runMax: 50, organizationOwn: 10, organizationMax: 100, allMax: 200 };

describe("what the runs of a process keep", () => {
  test("a run is full above its cap, and not before", () => {
    const run = createRunMemory(sizes).enter("a");
    run.keeps(50);
    expect(run.isFull()).toBe(false);
    run.keeps(51);
    expect(run.isFull()).toBe(true);
  });

  test("above the share of its organization one run goes on, and the others when it leaves, one after the other", async () => {
    const memory = createRunMemory(sizes);
    const runs = Array.from({ length: 4 }, () => memory.enter("a"));
    for (const run of runs) run.keeps(49);
    const order: number[] = [];
    const rooms = runs.map((run, index) => {
      const room = run.room();
      return room === null ? order.push(index) : room.then(() => order.push(index));
    });
    expect(order).toEqual([0]);
    runs[0]?.leave();
    await rooms[1];
    expect(order).toEqual([0, 1]);
    runs[1]?.leave();
    await Promise.all(rooms);
    expect(order).toEqual([0, 1, 2, 3]);
    for (const run of runs) run.leave();
    expect(memory.weight()).toBe(0);
  });

  test("an organization beside one that keeps too much does not wait for it", () => {
    const memory = createRunMemory(sizes);
    const greedy = Array.from({ length: 4 }, () => memory.enter("greedy"));
    for (const run of greedy) run.keeps(49);
    expect(greedy.map((run) => run.room() === null)).toEqual([true, false, false, false]);
    const other = memory.enter("other");
    other.keeps(2);
    expect(other.room()).toBeNull();
    // Even where everything is taken, each has a little of its own.
    const more = memory.enter("more");
    more.keeps(60);
    expect(other.room()).toBeNull();
    other.keeps(10);
    expect(other.room()).toBeNull();
  });

  test("where everything is taken, one run at a time goes on in all", async () => {
    const memory = createRunMemory(sizes);
    const runs = ["a", "b", "c", "d", "e"].map((organization) => memory.enter(organization));
    for (const run of runs) run.keeps(49);
    const rooms = runs.map((run) => run.room());
    expect(rooms.map((room) => room === null)).toEqual([true, false, false, false, false]);
    runs[0]?.leave();
    // What is left is below the share of all: the others need not wait for each other any more.
    await Promise.all(rooms);
  });

  test("runs of any size and in any order all come to their end", async () => {
    const memory = createRunMemory(sizes);
    let seed = 1;
    const chance = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const walk = async (organization: string): Promise<void> => {
      const run = memory.enter(organization);
      let weight = 0;
      for (let step = 0; step < 10 && !run.isFull(); step++) {
        await run.room();
        for (let turn = chance(4); turn > 0; turn--) await Promise.resolve();
        weight += chance(20);
        run.keeps(weight);
      }
      run.leave();
    };
    await Promise.all(Array.from({ length: 60 }, (_, index) => walk("abcdef"[index % 6] as string)));
    expect(memory.weight()).toBe(0);
  });
});
