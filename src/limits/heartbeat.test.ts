import { expect, test } from "vitest";
import { createHeartbeat } from "./heartbeat.ts";
import { systemClock } from "./state/clock.ts";

// "Places are leases of the process": a reservation without a heartbeat would be held for as long as its call may take.
test("a call that begins while the heartbeat of an idle process is deleted has a heartbeat at once", async () => {
  const done: string[] = [];
  const timers: (() => void)[] = [];
  const leaving = Promise.withResolvers<void>();
  const heartbeat = createHeartbeat({
    clock: {
      ...systemClock,
      after(_, work) {
        timers.push(work);
        return () => {};
      },
    },
    isWaiting: () => false,
    beat: async () => void done.push("beat"),
    releaseDead: async () => {},
    leave() {
      done.push("leave");
      return leaving.promise;
    },
    failed: (error) => expect.fail(String(error)),
    notDeleted: (error) => expect.fail(String(error)),
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const end = heartbeat.begin();
  await turn();
  end();
  timers.pop()?.();
  heartbeat.begin();
  leaving.resolve();
  await turn();
  expect(done).toEqual(["beat", "leave", "beat"]);
  await heartbeat.close();
});

test("a heartbeat that could not be deleted at the end is reported", async () => {
  const failures: unknown[] = [];
  const heartbeat = createHeartbeat({
    clock: systemClock,
    isWaiting: () => false,
    beat: async () => {},
    releaseDead: async () => {},
    leave: () => Promise.reject(new Error("away")),
    failed: (error) => expect.fail(String(error)),
    notDeleted: (error) => void failures.push(error),
  });
  heartbeat.begin();
  await expect.poll(heartbeat.isKnown).toBe(true);
  await heartbeat.close();
  expect(failures).toEqual([new Error("away")]);
});
