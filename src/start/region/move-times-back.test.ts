import { afterEach, expect, test, vi } from "vitest";
import { newStore } from "../../../test/support/stores.ts";
import { createLog } from "../../kernel/log.ts";
import { watchForClockSetBack } from "./move-times-back.ts";

afterEach(() => void vi.useRealTimers());

// An outage, or a row that cannot be read, must not make a region read its queues every second.
test("moving times back that failed is tried again after a minute, and then no more", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const store = await newStore("sqlite");
  let failures = 2;
  const failing = {
    ...store,
    transaction: (async (work) => {
      if (failures > 0) {
        failures--;
        throw new Error("away");
      }
      return store.transaction(work);
    }) as typeof store.transaction,
  };
  const logged: string[] = [];
  const log = createLog("warn", { write: (line) => void logged.push(JSON.parse(line).msg) });
  const watch = watchForClockSetBack({ store: failing, leaseSeconds: 30, log, now: () => new Date(), wake: () => {} });
  const lookFor = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      vi.advanceTimersByTime(1_000);
      await new Promise(setImmediate);
    }
  };
  watch.begin();
  await lookFor(50);
  expect(logged).toHaveLength(1);
  await lookFor(60);
  expect(logged).toHaveLength(2);
  await lookFor(60);
  expect([failures, logged.length]).toEqual([0, 2]);
  await watch.stop();
});
