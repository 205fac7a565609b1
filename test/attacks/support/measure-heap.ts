import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

/**
 * Loaded before the server (`--import`), this tells the parent how much memory is in use once everything is collected that nobody
 * holds any more: the heap, and buffers outside of it.
 */

function measure(): void {
  setFlagsFromString("--expose-gc");
  // A context that is made after the flag was set has the function.
  const collect = runInNewContext("gc") as () => void;
  process.on("message", (message) => {
    if (message !== "heap") return;
    collect();
    const { heapUsed, external } = process.memoryUsage();
    process.send?.(heapUsed + external);
  });
  process.channel?.unref();
}

// Threads and processes that the server starts load this too.
if (isMainThread && process.send && process.argv[1]?.endsWith("cli/signalbox.ts")) measure();
