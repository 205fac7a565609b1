import { expect, test } from "vitest";
import { giveWay, nextTurn, turnAlone } from "./work-in-slices.ts";

const work = (milliseconds: number): void => {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
};

test("long work lets others go first once it has used up its time", async () => {
  let others = 0;
  const turn = giveWay();
  for (let piece = 0; piece < 5; piece++) {
    setImmediate(() => others++);
    work(15);
    await turn();
    expect(others).toBe(piece + 1);
  }
});

test("after a turn, work has all of its time again and goes on without a wait", async () => {
  const turn = giveWay();
  const goesOn: boolean[] = [];
  for (let tries = 0; tries < 20; tries++) {
    work(15);
    await turn();
    // A busy machine may take the time away right here, so one of many is enough.
    goesOn.push(turn() === undefined);
  }
  expect(goesOn).toContain(true);
});

test("a turn lets everything go first that waits for the loop already", async () => {
  let isDone = false;
  setImmediate(() => {
    isDone = true;
  });
  await nextTurn();
  expect(isDone).toBe(true);
});

// "Nothing that a caller, a tenant or an external system chooses may take more than 50 ms of the event loop."
test("those who gave way go on one in each turn of the event loop, in their order", async () => {
  const seen: string[] = [];
  const long = [1, 2, 3].map(async (name) => {
    for (let slice = 0; slice < 2; slice++) {
      await turnAlone();
      seen.push(`slice of ${name}`);
    }
  });
  let isOver = false;
  const turns = (async () => {
    for (; !isOver; await nextTurn()) seen.push("turn");
  })();
  await Promise.all(long);
  isOver = true;
  await turns;
  const slices = seen.filter((each) => each !== "turn");
  expect(slices).toEqual([1, 2, 3, 1, 2, 3].map((name) => `slice of ${name}`));
  const together = seen.join(" ").match(/slice of \d slice of \d/);
  expect(together).toBeNull();
});
