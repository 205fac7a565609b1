import { secondsAfter } from "../store/clock/move-times-back.ts";
import type { Db } from "../store/db.ts";
import { longestPauseHours } from "./next-health-check.ts";
import { leaseSeconds } from "./refresh-token.ts";
import { moveChecksBack, moveTokenLeasesBack } from "./tokens.store.ts";

/** After the clock was set back: connections are checked, and a process that died keeps no other from signing in. */
export async function moveConnectionsBack(db: Db, now: Date): Promise<number> {
  const leased = secondsAfter(now, leaseSeconds);
  await moveTokenLeasesBack(db, { latest: secondsAfter(leased, leaseSeconds), to: leased });
  return moveChecksBack(db, { latest: secondsAfter(now, longestPauseHours * 3600), to: now });
}
