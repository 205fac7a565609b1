import { describe, expect, test } from "vitest";
import { NoRoom } from "../../transport/memory-of-large-answers.ts";
import { createRunMemory } from "./run-memory.ts";

const sizes = { runMax: 50, organizationOwn: 10, organizationMax: 100, allMax: 200 };

describe("the memory of a process's runs", () => {
  test("a run is full above its cap, and not before", () => {
    const run = createRunMemory(sizes).open("a");
    run.resize(50);
    expect(run.isFull()).toBe(false);
    run.resize(51);
    expect(run.isFull()).toBe(true);
  });

  test("the cap of a run counts characters as users do; the shared caps count bytes", () => {
    const memory = createRunMemory(sizes);
    const [nested, other] = [memory.open("a"), memory.open("a")];
    nested.resize(40, 150);
    expect([nested.isFull(), memory.memory()]).toEqual([false, 150]);
    other.resize(5);
    expect(nested.whenRoom()).toBeNull();
    expect(other.whenRoom()).not.toBeNull();
  });

  test("above the cap of an organization one run continues; the others follow one by one as runs leave", async () => {
    const memory = createRunMemory(sizes);
    const runs = Array.from({ length: 4 }, () => memory.open("a"));
    for (const run of runs) run.resize(49);
    const order: number[] = [];
    const rooms = runs.map((run, index) => {
      const room = run.whenRoom();
      return room === null ? order.push(index) : room.then(() => order.push(index));
    });
    expect(order).toEqual([0]);
    runs[0]?.release();
    await rooms[1];
    expect(order).toEqual([0, 1]);
    runs[1]?.release();
    await Promise.all(rooms);
    expect(order).toEqual([0, 1, 2, 3]);
    for (const run of runs) run.release();
    expect(memory.memory()).toBe(0);
  });

  test("an organization beside a greedy one does not wait for it", () => {
    const memory = createRunMemory(sizes);
    const greedy = Array.from({ length: 4 }, () => memory.open("greedy"));
    for (const run of greedy) run.resize(49);
    expect(greedy.map((run) => run.whenRoom() === null)).toEqual([true, false, false, false]);
    const other = memory.open("other");
    other.resize(2);
    expect(other.whenRoom()).toBeNull();
    // Even if all memory is taken, each organization has a minimum.
    const more = memory.open("more");
    more.resize(60);
    expect(other.whenRoom()).toBeNull();
    other.resize(10);
    expect(other.whenRoom()).toBeNull();
  });

  test("above the cap of the process, one run at a time continues", async () => {
    const memory = createRunMemory(sizes);
    const runs = ["a", "b", "c", "d", "e"].map((organization) => memory.open(organization));
    for (const run of runs) run.resize(49);
    const rooms = runs.map((run) => run.whenRoom());
    expect(rooms.map((room) => room === null)).toEqual([true, false, false, false, false]);
    runs[0]?.release();
    // The rest is below the cap of the process, so no run waits any more.
    await Promise.all(rooms);
  });

  test("runs of any size and in any order all end", async () => {
    const memory = createRunMemory(sizes);
    let seed = 1;
    const chance = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const work = async (organization: string): Promise<void> => {
      const run = memory.open(organization);
      let weight = 0;
      for (let step = 0; step < 10 && !run.isFull(); step++) {
        await run.whenRoom();
        for (let turn = chance(4); turn > 0; turn--) await Promise.resolve();
        weight += chance(20);
        run.resize(weight);
      }
      run.release();
    };
    await Promise.all(Array.from({ length: 60 }, (_, index) => work("abcdef"[index % 6] as string)));
    expect(memory.memory()).toBe(0);
  });

  test("a large answer that does not fit waits until others have given up enough, or too long", async () => {
    const memory = createRunMemory({ ...sizes, answerMilliseconds: 20 });
    const [first, second, third] = [memory.open("a"), memory.open("a"), memory.open("a")];
    expect(first.reserve(90)).toBeNull();
    // The first that does not fit goes ahead: otherwise all could wait for each other.
    expect(second.reserve(30)).toBeNull();
    await expect(third.reserve(30)).rejects.toBeInstanceOf(NoRoom);
    const room = third.reserve(5);
    expect(room).not.toBeNull();
    second.forgetAnswers();
    await room;
    expect(memory.memory()).toBe(95);
    // What the run keeps of its answers is counted as its output, once.
    third.resize(4);
    third.forgetAnswers();
    expect(memory.memory()).toBe(94);
    for (const run of [first, second, third]) run.release();
    expect(memory.memory()).toBe(0);
  });

  test("a run that leaves while its answer waits neither takes up memory nor goes ahead", async () => {
    const memory = createRunMemory(sizes);
    const [first, left, last] = [memory.open("a"), memory.open("a"), memory.open("a")];
    expect(first.reserve(120)).toBeNull();
    const waiting = left.reserve(120);
    left.release();
    await waiting;
    expect(memory.memory()).toBe(120);
    const room = last.reserve(120);
    first.release();
    await room;
    last.release();
    expect(memory.memory()).toBe(0);
  });
});
