import type { Log } from "../kernel/log.ts";
import { giveWay } from "../kernel/work-in-slices.ts";
import { type Store, StoreUnavailable } from "../store/db.ts";
import { nextTimes } from "./cron-times.ts";
import { listUpcomingSchedules, moveNextTime, type UpcomingSchedule } from "./due-schedules.store.ts";

const batchSize = 100;
/** Clocks are corrected by seconds all the time, and those of nodes differ by seconds; a schedule counts in minutes. */
const toleranceMilliseconds = 60_000;

/** Says whether the wall clock was set back since it was last asked, by comparing it with one that only runs forward. */
export function createClockWatch(now: () => Date, monotonic: () => number = () => performance.now()): () => boolean {
  const offset = (): number => now().getTime() - monotonic();
  let last = offset();
  return () => {
    const before = last;
    last = offset();
    return last < before - toleranceMilliseconds;
  };
}

/**
 * A wall clock that was ahead for a while has moved the next times of schedules ahead, too: by years, after a jump of years. Moves
 * them back to the first time from now on. What was started meanwhile stays started. A time that a node with a clock slightly ahead
 * has chosen stays: its run has just begun there, and would begin here again. Returns how many were moved.
 */
export async function moveNextTimesBack(store: Store, now: Date, log: Log): Promise<number> {
  const latestClock = new Date(now.getTime() + toleranceMilliseconds);
  let [moved, after] = [0, ""];
  // On SQLite, nothing below waits, and a schedule takes half a millisecond.
  const turn = giveWay();
  for (;;) {
    const upcoming = await listUpcomingSchedules(store, now.toISOString(), { after, limit: batchSize });
    for (const schedule of upcoming) {
      after = schedule.id;
      await turn();
      if (await moveBack(schedule, { store, now, latestClock, log })) moved++;
    }
    if (upcoming.length < batchSize) break;
  }
  if (moved > 0) log.warn({ schedules: moved }, "the clock was set back: schedules continue with their next times");
  return moved;
}

interface MoveParts {
  store: Store;
  now: Date;
  latestClock: Date;
  log: Log;
}

/** Returns whether it was moved. One that fails, such as one whose time zone this process does not know, stops no other. */
async function moveBack(schedule: UpcomingSchedule, { store, now, latestClock, log }: MoveParts): Promise<boolean> {
  const { id, nextAt } = schedule;
  try {
    const [chosenByOthers] = nextTimes(schedule, latestClock, 1);
    const [next] = nextTimes(schedule, now, 1);
    if (!next || !chosenByOthers || nextAt === null || nextAt <= chosenByOthers.toISOString()) return false;
    const move = { id, from: nextAt, to: next.toISOString() };
    return await store.transaction((db) => moveNextTime(db, move));
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    log.warn({ schedule_id: id, err: error }, "the next time of a schedule could not be moved back");
    return false;
  }
}
