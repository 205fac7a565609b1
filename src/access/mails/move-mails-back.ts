import { secondsAfter } from "../../store/clock/move-times-back.ts";
import type { Db } from "../../store/db.ts";
import { moveSendTimesBack } from "./mail-queue.store.ts";
import { claimSeconds, longestPauseSeconds } from "./mail-queue.ts";

/** After the clock was set back. Not due at once: a sender may be sending it, as long as a claim lasts. */
export const moveMailsBack = (db: Db, now: Date): Promise<number> =>
  moveSendTimesBack(db, { latest: secondsAfter(now, longestPauseSeconds), to: secondsAfter(now, claimSeconds) });
