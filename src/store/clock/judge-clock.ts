/** The clock as the store knows it. */
export interface SeenClock {
  seenAt: Date;
  /** By how much the clock is ahead of the time that expiry follows. */
  aheadMilliseconds: number;
  /** When the clock jumped, by itself; null if expiry follows the clock. */
  jumpedAt: Date | null;
}

const day = 86_400_000;
/** A server may be off for a day, and its clock be corrected by seconds. */
export const jumpMilliseconds = day;
/** A clock that goes on steadily for so long after a jump is right: the server was off, or somebody corrected its clock. */
export const confirmedAfterMilliseconds = day;

/**
 * "Deleting must not trust a clock that has just jumped." What a wrong clock deletes is gone when the clock is set back, so expiry does not
 * follow a jump forward until the clock has gone on steadily for a day. `elapsed` is how long this process knows time has passed since it last
 * looked. A jump back is followed at once, because nothing expires by it.
 */
export function judgeClock(seen: SeenClock | null, now: Date, elapsed: number): SeenClock {
  const trusted: SeenClock = { seenAt: now, aheadMilliseconds: 0, jumpedAt: null };
  if (seen === null) return trusted;
  const jump = jumpOf(now.getTime() - seen.seenAt.getTime(), elapsed);
  if (Math.abs(jump) > jumpMilliseconds) {
    const ahead = seen.aheadMilliseconds + jump;
    return ahead > jumpMilliseconds ? { seenAt: now, aheadMilliseconds: ahead, jumpedAt: now } : trusted;
  }
  const isConfirmed = seen.jumpedAt === null || now.getTime() - seen.jumpedAt.getTime() >= confirmedAfterMilliseconds;
  return isConfirmed ? trusted : { ...seen, seenAt: now };
}

/** Another node may have looked since: then less time has passed than this process knows of. */
const jumpOf = (moved: number, elapsed: number): number => (moved > 0 ? Math.max(0, moved - elapsed) : moved);
