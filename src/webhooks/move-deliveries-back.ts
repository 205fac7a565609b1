import { secondsAfter } from "../store/clock/move-times-back.ts";
import type { Db } from "../store/db.ts";
import { claimSeconds } from "./dispatcher.ts";
import { moveSendTimesBack } from "./due-deliveries.store.ts";
import { longestPauseSeconds } from "./retry-times.ts";

/** After the clock was set back. Not due at once: a dispatcher may be sending it, as long as a claim lasts. */
export const moveDeliveriesBack = (db: Db, now: Date): Promise<number> =>
  moveSendTimesBack(db, { latest: secondsAfter(now, longestPauseSeconds), to: secondsAfter(now, claimSeconds) });
