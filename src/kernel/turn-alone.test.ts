import { expect, test } from "vitest";
import { nextTurn, turnAlone } from "./work-in-slices.ts";

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
