import type { LimitClock } from "../state/clock.ts";

/** Shorter than the window of any limit, so that no busy window is missed. */
const every = 10_000;
/** More limits than this are rarely busy within one interval; the rest is sampled in the next. */
const subjectsMax = 500;

/** Notes which limits calls have used, and measures those in the background. A call only adds a name to a set. */
export function createHistorySampler(
  clock: LimitClock,
  sample: (subjects: readonly string[]) => Promise<void>,
  failed: (error: unknown) => void,
): { notice(subject: string): void; close(): void } {
  const used = new Set<string>();
  let cancelTimer: (() => void) | null = null;
  let closed = false;

  function schedule(): void {
    if (!cancelTimer && !closed) cancelTimer = clock.after(every, () => void take());
  }

  async function take(): Promise<void> {
    const subjects = [...used].slice(0, subjectsMax).sort();
    for (const subject of subjects) used.delete(subject);
    await sample(subjects).catch(failed);
    cancelTimer = null;
    if (used.size > 0) schedule();
  }

  return {
    notice(subject) {
      used.add(subject);
      if (!cancelTimer) schedule();
    },
    close() {
      closed = true;
      cancelTimer?.();
    },
  };
}
