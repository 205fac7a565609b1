import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const lookEverySeconds = 3;
/** Below this part of its time at work a process is at rest. */
const restsBelow = 0.05;

type Collect = (how: { type: "major"; flavor: "last-resort" }) => void;

/**
 * V8 collects garbage when it wants memory, not when there is time: what the start or the last busy hour left behind would
 * stay for as long as the server is quiet. So it is told to, once, when the work is over. Measured after a start with three
 * regions: 222 MB without and 155 MB with it. It takes about as long as one slow request; the plain way of collecting is no
 * quicker by half, and keeps the emptied pages.
 */
export function giveBackMemoryAtRest(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as Collect;
  let before = performance.eventLoopUtilization();
  let hasWorked = true;
  function look(): void {
    if (performance.eventLoopUtilization(before).utilization > restsBelow) hasWorked = true;
    else if (hasWorked) {
      hasWorked = false;
      collect({ type: "major", flavor: "last-resort" });
    }
    // Taken anew, so that the collecting itself does not count as work.
    before = performance.eventLoopUtilization();
  }
  setInterval(look, lookEverySeconds * 1000).unref();
}
