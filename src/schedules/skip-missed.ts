import type { Store } from "../store/db.ts";
import { keepSchedule, lookAtDueSchedules } from "./schedules.ts";
import { nextTimes } from "./times.ts";

const atOnce = 100;

const skipped = {
  code: "missed",
  detail:
    "The store was restored from a backup: whether something was started at the times before that is not known, and none is made up for.",
};

/**
 * In a store that was put back from a backup, times that have passed may have had their runs, whatever the schedule's `misfire`
 * says: each schedule goes on with its next time.
 */
export async function skipMissed(store: Store, now: Date): Promise<void> {
  for (;;) {
    const due = await lookAtDueSchedules(store, now, atOnce);
    if (due.length === 0) return;
    await store.transaction(async (db) => {
      for (const schedule of due) {
        const nextAt = nextTimes(schedule, now, 1)[0]?.toISOString() ?? null;
        await keepSchedule(db, { ...schedule, nextAt, lastProblem: skipped });
      }
    });
  }
}
