/** No limit is longer than a month; whoever names a longer time says something else, or nothing that a calendar has. */
export const secondsMax = 31 * 86_400;

/** A span that an answer names, in bounds. */
export const inBounds = (seconds: number): number => Math.min(secondsMax, Math.max(1, Math.ceil(seconds)));

/** A moment that an answer names in seconds since 1970; null where no calendar has it. */
export function momentOf(seconds: number): Date | null {
  const isMoment = Number.isFinite(seconds) && seconds > 0 && seconds < momentMax;
  return isMoment ? new Date(seconds * 1000) : null;
}

/** In the year 5138. What is larger was counted in other units. */
const momentMax = 100_000_000_000;
