import type { Db } from "../store/db.ts";
import { nextTimes } from "./cron-times.ts";
import { listDueSchedules, updateLastStart } from "./due-schedules.store.ts";
import type { DueSchedule } from "./schedules.store.ts";

const batchSize = 100;

const skipped = {
  code: "missed",
  detail:
    "The store was restored from a backup. It is not known what was started before, so the missed times are skipped.",
};

/**
 * After a restore from a backup, missed times may have had their runs in the store that was replaced. So they are
 * skipped whatever `misfire` says, and each schedule continues with its next time.
 */
export async function skipAfterRestore(db: Db, now: Date): Promise<void> {
  for (;;) {
    const due = await listDueSchedules(db, now.toISOString(), batchSize);
    if (due.length === 0) return;
    await db.transaction(async (inside) => {
      for (const schedule of due) {
        await updateLastStart(inside, { ...schedule, nextAt: nextTime(schedule, now), lastProblem: skipped });
      }
    });
  }
}

function nextTime(schedule: DueSchedule, now: Date): string | null {
  try {
    return nextTimes(schedule, now, 1)[0]?.toISOString() ?? null;
  } catch {
    // Its time zone is unknown to this process, and one schedule prevents no restore. It is due from now on; the clock reports it.
    return new Date(now.getTime() + 1).toISOString();
  }
}
