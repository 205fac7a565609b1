import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { expect, onTestFinished, test, vi } from "vitest";
import { createElapsedTime, elapsedTime } from "../kernel/elapsed-time.ts";
import { cutOffUnless, leaseFrom } from "./fence.ts";

// "The fence is checked last, when the socket is ready, against a monotonic clock that counts suspended time."
test.each([
  [30, 28_000],
  [8, 6_000],
  [2, 1_500],
])("a lease of %d s is used for %d ms, also by a machine that was suspended", (seconds, milliseconds) => {
  let booted = 0;
  const time = createElapsedTime({ awake: () => 0, booted: () => booted, wall: () => 0 });
  const lease = leaseFrom(time.mark(), seconds, time);
  booted = milliseconds - 1;
  expect(lease.isHeld()).toBe(true);
  booted = milliseconds;
  expect(lease.isHeld()).toBe(false);
});

test("a renewed lease counts from before its renewal was asked for", () => {
  let awake = 0;
  const time = createElapsedTime({ awake: () => awake, booted: () => 0, wall: () => 0 });
  const lease = leaseFrom(time.mark(), 30, time);
  awake = 20_000;
  const askedAt = time.mark();
  awake = 27_000;
  lease.renewed(askedAt, 30);
  awake = 47_999;
  expect(lease.isHeld()).toBe(true);
  awake = 48_000;
  expect(lease.isHeld()).toBe(false);
});

/** What the clocks of the machine show from now on. */
function suspendMachine(seconds: number): void {
  const uptime = vi.spyOn(os, "uptime").mockReturnValue(os.uptime() + seconds);
  syncBuiltinESMExports();
  onTestFinished(() => {
    uptime.mockRestore();
    syncBuiltinESMExports();
  });
}

test("by default the uptime of the machine counts, which goes on while it is suspended", () => {
  const lease = leaseFrom(elapsedTime.mark(), 30);
  expect(lease.isHeld()).toBe(true);
  suspendMachine(28);
  expect(lease.isHeld()).toBe(false);
});

// "A process that can no longer renew the lease cuts its write off before another worker takes the run over." After a pause of the
// process, its first look comes before the response and the renewal that have arrived meanwhile.
test.each([
  ["twice in a row", [false, false], true],
  ["once, such as after a pause of the process", [false, true, true], false],
  ["twice, with a renewal between", [false, true, false, true], false],
])("a write whose lease is not held %s", (_, looks, isCutOff) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const watch = cutOffUnless(() => looks.shift() ?? true);
  onTestFinished(watch.end);
  while (looks.length > 0) vi.advanceTimersToNextTimer();
  expect(watch.signal.aborted).toBe(isCutOff);
});
