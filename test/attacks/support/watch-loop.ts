import { processorTime, workedSince } from "./processor-time.ts";

/**
 * How long the event loop of this process stood still at most while something went on. What counts is the processor time that
 * its thread takes between two turns: a machine that does something else meanwhile stops the clock on the wall, and not this one.
 */
export async function longestPause(work: () => Promise<void>): Promise<number> {
  let before = processorTime();
  let longest = 0;
  const look = () => {
    const now = processorTime();
    longest = Math.max(longest, workedSince(before, now));
    before = now;
  };
  const timer = setInterval(look, 5);
  try {
    await work();
    look();
  } finally {
    clearInterval(timer);
  }
  return longest;
}
