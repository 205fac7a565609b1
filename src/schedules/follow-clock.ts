import type { Log } from "../kernel/log.ts";
import type { Store } from "../store/db.ts";
import { listUpcomingSchedules, moveNextTime } from "./schedules.store.ts";
import { nextTimes } from "./times.ts";

const batchSize = 100;
/** Clocks are corrected by seconds all the time; a schedule counts in minutes. */
const stepMillisecondsMin = 60_000;

/** Says whether the wall clock was set back since it was last asked, by comparing it with one that only runs forward. */
export function createClockWatch(now: () => Date, monotonic: () => number = () => performance.now()): () => boolean {
  const offset = (): number => now().getTime() - monotonic();
  let last = offset();
  return () => {
    const before = last;
    last = offset();
    return last < before - stepMillisecondsMin;
  };
}

/**
 * A wall clock that was ahead for a while has moved the next times of schedules ahead, too: by years, after a jump of years. Moves
 * them back to the first time from now on. What was started meanwhile stays started. Returns how many were moved.
 */
export async function moveNextTimesBack(store: Store, now: Date, log: Log): Promise<number> {
  let [moved, after] = [0, ""];
  for (;;) {
    const upcoming = await listUpcomingSchedules(store, now.toISOString(), { after, limit: batchSize });
    for (const schedule of upcoming) {
      after = schedule.id;
      const next = nextTimes(schedule, now, 1)[0]?.toISOString();
      if (next === undefined || schedule.nextAt === null || schedule.nextAt <= next) continue;
      const { id, nextAt } = schedule;
      if (await store.transaction((db) => moveNextTime(db, { id, from: nextAt, to: next }))) moved++;
    }
    if (upcoming.length < batchSize) break;
  }
  if (moved > 0) log.warn({ schedules: moved }, "the clock was set back: schedules continue with their next times");
  return moved;
}
