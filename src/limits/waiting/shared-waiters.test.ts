import { expect, test } from "vitest";
import { systemClock } from "../state/clock.ts";
import { createSharedWaiters, type Waiting } from "./shared-waiters.ts";

const call: Waiting = {
  caller: "c",
  projectId: "prj_us_1",
  connectionId: "con_us_1",
  runId: "run_us_1",
  since: new Date(0).toISOString(),
  name: "burst",
};

test("waiting calls that cannot be saved are reported once, and again only after a success", async () => {
  const failures: unknown[] = [];
  const timers: (() => void)[] = [];
  let isAway = true;
  const waiters = createSharedWaiters({
    clock: {
      ...systemClock,
      after(_, work) {
        timers.push(work);
        return () => {};
      },
    },
    waiting: () => new Map([["burst", [{ ...call, caller: `c${saves}` }]]]),
    async save() {
      saves++;
      if (isAway) throw new Error(`away ${saves}`);
    },
    failed: (error) => void failures.push(String(error)),
  });
  let saves = 0;
  const publish = async (): Promise<void> => {
    timers.pop()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  waiters.notice();
  await publish();
  await publish();
  expect(failures).toEqual(["Error: away 1"]);
  isAway = false;
  await publish();
  isAway = true;
  await publish();
  expect([saves, failures]).toEqual([4, ["Error: away 1", "Error: away 4"]]);
});
