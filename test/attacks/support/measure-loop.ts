import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";
import { processorTime, workedSince } from "./processor-time.ts";

/**
 * Loaded before the server (`--import`), this measures how long its event loop stands still, and tells the process that started it.
 * What counts is the processor time that the loop's own thread takes between two of its turns: a machine that does
 * something else meanwhile stops the clock on the wall, and not this one.
 */

const tickMilliseconds = 5;

export interface LoopMeasure {
  /** The longest time without a turn of the loop, of the processor and on the wall, since it was last asked. */
  cpuMilliseconds: number;
  wallMilliseconds: number;
  rssMegabytes: number;
}

function measure(): void {
  const histogram = monitorEventLoopDelay({ resolution: tickMilliseconds });
  histogram.enable();
  let before = processorTime();
  let longest = 0;
  setInterval(() => {
    const now = processorTime();
    longest = Math.max(longest, workedSince(before, now));
    before = now;
  }, tickMilliseconds).unref();
  process.on("message", (message) => {
    if (message !== "measure") return;
    // After the turn in which it was asked, so that what stands before this message is counted.
    setTimeout(() => {
      const rssMegabytes = Math.round(process.memoryUsage.rss() / 2 ** 20);
      const wallMilliseconds = Math.round(histogram.max / 1e6);
      process.send?.({ cpuMilliseconds: Math.round(longest), wallMilliseconds, rssMegabytes });
      histogram.reset();
      longest = 0;
    }, tickMilliseconds);
  });
  process.channel?.unref();
}

// Threads and processes that the server starts load this too, and are not the loop that serves everybody.
if (isMainThread && process.send && process.argv[1]?.endsWith("cli/signalbox.ts")) measure();
