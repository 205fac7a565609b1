import type { LimitClock } from "../state/clock.ts";

const every = 2000;

/**
 * Learns from other nodes which limits are nearly used up: reads every two seconds while there are calls, so that no call has to.
 */
export function createWatch(
  clock: LimitClock,
  read: () => Promise<void>,
  failed: (error: unknown) => void,
): { notice(): void; close(): void } {
  let noticed = false;
  let cancelTimer: (() => void) | null = null;
  let closed = false;

  async function poll(): Promise<void> {
    noticed = false;
    await read().catch(failed);
    cancelTimer = null;
    if (noticed) schedule();
  }
  function schedule(): void {
    if (!cancelTimer && !closed) cancelTimer = clock.after(every, () => void poll());
  }
  return {
    notice() {
      noticed = true;
      schedule();
    },
    close() {
      closed = true;
      cancelTimer?.();
    },
  };
}
