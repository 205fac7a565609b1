import type { LimitClock } from "./clock.ts";

const every = 2000;

/**
 * Other nodes' news of limits that are almost used up: read behind the calls, every two seconds while there are some,
 * so that no call has to.
 */
export function createWatch(clock: LimitClock, read: () => Promise<void>): { notice(): void; close(): void } {
  let noticed = false;
  let cancelTimer: (() => void) | null = null;
  let closed = false;

  async function look(): Promise<void> {
    noticed = false;
    await read().catch(() => {});
    cancelTimer = null;
    if (noticed) schedule();
  }
  function schedule(): void {
    if (!cancelTimer && !closed) cancelTimer = clock.after(every, () => void look());
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
