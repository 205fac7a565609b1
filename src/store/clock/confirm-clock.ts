import type { Store } from "../db.ts";
import { sharedNow } from "../shared-time.ts";
import { readClock, saveClock } from "./clock-seen.store.ts";
import { judgeClock } from "./judge-clock.ts";

/** A person says that the clock is right: expiry follows it from now on. Returns by how much it jumps for that. */
export const confirmClock = (store: Store, now: Date): Promise<{ now: string; days_ahead: number }> =>
  store.transaction(async (db) => {
    const seenAt = await sharedNow(db, store.kind, now);
    const { aheadMilliseconds } = judgeClock(await readClock(db, db.lockRow), seenAt, 0);
    await saveClock(db, { seenAt, aheadMilliseconds: 0, jumpedAt: null });
    return { now: seenAt.toISOString(), days_ahead: Math.round(aheadMilliseconds / 86_400_000) };
  });
