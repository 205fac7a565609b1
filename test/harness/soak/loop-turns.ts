import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

/** "No pause of the event loop above 50 ms." */
export const turnMillisecondsMax = 50;

/** How long turns of the event loop took since the last question. */
export interface LoopTurns {
  /** By the processor time of the loop's thread, so that it says nothing of what else the machine does. */
  longestCpuMilliseconds: number;
  /** How many took more processor time than allowed. */
  tooLong: number;
  /** On the wall clock. */
  longestMilliseconds: number;
  /** The longest garbage collection, on the wall clock. */
  longestCollectionMilliseconds: number;
}

const tickMilliseconds = 5;

/** Loaded before the server (`--import`), which answers every message with its `LoopTurns`. */
function watchTurns(): void {
  const delays = monitorEventLoopDelay({ resolution: tickMilliseconds });
  delays.enable();
  let [longest, tooLong, longestCollection] = [0, 0, 0];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestCollection = Math.max(longestCollection, duration);
  }).observe({ entryTypes: ["gc"] });
  let before = process.threadCpuUsage();
  setInterval(() => {
    const now = process.threadCpuUsage();
    const turn = (now.user + now.system - before.user - before.system) / 1000;
    before = now;
    longest = Math.max(longest, turn);
    if (turn > turnMillisecondsMax) tooLong++;
  }, tickMilliseconds).unref();
  process.on("message", () => {
    const turns: LoopTurns = {
      longestCpuMilliseconds: longest,
      tooLong,
      longestMilliseconds: delays.max / 1e6,
      longestCollectionMilliseconds: longestCollection,
    };
    process.send?.(turns);
    [longest, tooLong, longestCollection] = [0, 0, 0];
    delays.reset();
  });
  process.channel?.unref();
}

// The harness imports it for its names alone.
if (isMainThread && process.argv.includes("serve") && process.send) watchTurns();
