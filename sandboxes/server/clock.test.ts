import { expect, test } from "vitest";
import { createClock } from "./clock.ts";

test("what is planned happens in its order when the clock passes it, each at its own time", () => {
  const clock = createClock();
  const start = clock.now();
  const seen: [string, number][] = [];
  clock.at(start + 20_000, () => seen.push(["late", clock.now() - start]));
  clock.at(start + 10_000, () => {
    seen.push(["early", clock.now() - start]);
    clock.at(start + 15_000, () => seen.push(["between", clock.now() - start]));
  });
  const callOff = clock.at(start + 12_000, () => seen.push(["called off", 0]));
  callOff();
  clock.advance(60);
  clock.stop();
  expect(seen).toEqual([
    ["early", 10_000],
    ["between", 15_000],
    ["late", 20_000],
  ]);
});

test("two hundred thousand plans happen by their times, those of one moment in the order they were made", () => {
  const clock = createClock();
  const start = clock.now() + 1_000_000;
  const seen: number[] = [];
  for (let index = 0; index < 200_000; index++) {
    clock.at(start + ((index * 7919) % 1000), () => seen.push(index));
  }
  clock.advance(10_000);
  clock.stop();
  expect(seen).toHaveLength(200_000);
  const momentOf = (index: number) => (index * 7919) % 1000;
  const isOrdered = (a: number, b: number) => momentOf(a) < momentOf(b) || (momentOf(a) === momentOf(b) && a < b);
  expect(seen.every((index, at) => at === 0 || isOrdered(seen[at - 1] ?? 0, index))).toBe(true);
});

test("a reset forgets what was planned and where the clock stood", () => {
  const clock = createClock();
  let happened = false;
  clock.at(clock.now() + 1000, () => {
    happened = true;
  });
  clock.set(0);
  clock.reset();
  clock.advance(3600);
  clock.stop();
  expect(happened).toBe(false);
  expect(clock.now()).toBeGreaterThan(Date.UTC(2020, 0));
});
