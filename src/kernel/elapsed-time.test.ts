import { expect, test } from "vitest";
import { createElapsedTime } from "./elapsed-time.ts";

const atRest = { awake: 5000, booted: 90_000, wall: 1_700_000_000_000 };

// "Against a monotonic clock that counts suspended time."
test.each([
  ["a process that was stopped", { awake: 50_000, booted: 50_000, wall: 50_000 }],
  ["a machine that was suspended", { awake: 0, booted: 50_000, wall: 50_000 }],
  ["a machine that was suspended, and whose clock was then set back", { awake: 0, booted: 50_000, wall: -3_600_000 }],
  ["a virtual machine that its host has paused", { awake: 0, booted: 0, wall: 50_000 }],
])("the time of %s has passed", (_name, shown) => {
  const now = { ...atRest };
  const time = createElapsedTime({ awake: () => now.awake, booted: () => now.booted, wall: () => now.wall });
  const begun = time.mark();
  expect(time.millisecondsSince(begun)).toBe(0);
  now.awake += shown.awake;
  now.booted += shown.booted;
  now.wall += shown.wall;
  expect(time.millisecondsSince(begun)).toBe(50_000);
});

test("a mark with a cached uptime never shows too little time", () => {
  const now = { ...atRest };
  const time = createElapsedTime({ awake: () => now.awake, booted: () => now.booted, wall: () => now.wall });
  time.mark();
  now.booted += 7000;
  expect(time.millisecondsSince(time.mark())).toBe(7000);
});

test("a mark right after a suspension that was noticed does not count it again", () => {
  const now = { ...atRest };
  const time = createElapsedTime({ awake: () => now.awake, booted: () => now.booted, wall: () => now.wall });
  const before = time.mark();
  now.booted += 7000;
  expect(time.millisecondsSince(before)).toBe(7000);
  expect(time.millisecondsSince(time.mark())).toBe(0);
});
