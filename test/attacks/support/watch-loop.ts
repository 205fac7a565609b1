/**
 * How long the event loop of this process stood still at most while something went on. What counts is the processor time that
 * its thread takes between two turns: a machine that does something else meanwhile stops the clock on the wall, and not this one.
 */
export async function longestPause(work: () => Promise<void>): Promise<number> {
  const spent = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let before = spent();
  let longest = 0;
  const look = () => {
    const now = spent();
    longest = Math.max(longest, now - before);
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
