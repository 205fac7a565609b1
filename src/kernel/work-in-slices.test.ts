import { expect, test } from "vitest";
import { giveWay, nextTurn } from "./work-in-slices.ts";

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
