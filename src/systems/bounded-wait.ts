/** No limit is longer than a month; a longer time means something else, or is invalid. */
export const secondsMax = 31 * 86_400;

/** A span of an answer, within limits. */
export const inBounds = (seconds: number): number => Math.min(secondsMax, Math.max(1, Math.ceil(seconds)));

/** A time of an answer in seconds since 1970; null if it is invalid. */
export function momentOf(seconds: number): Date | null {
  const isMoment = Number.isFinite(seconds) && seconds > 0 && seconds < momentMax;
  return isMoment ? new Date(seconds * 1000) : null;
}

/** In the year 5138. A larger number has other units. */
const momentMax = 100_000_000_000;
