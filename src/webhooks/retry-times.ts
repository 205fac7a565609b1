/** When a delivery is retried: "retries with jitter over three days". */

const minute = 60;
const hour = 3600;
/** The pause after each attempt but the last: seconds first, for a receiver that restarts, then longer and longer. */
const pausesSeconds = [
  5,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const;

/** No retry is later than this. */
export const longestPauseSeconds = 1.2 * Math.max(...pausesSeconds);

export const attemptsMax = pausesSeconds.length + 1;

/**
 * Returns null once all attempts are used up. Jitter of up to a fifth spreads the retries after an outage of the
 * receiver. `Retry-After` is obeyed, up to the longest pause.
 */
export function retryAt(attempts: number, now: Date, random: number, retryAfterSeconds = 0): Date | null {
  const pause = pausesSeconds[attempts - 1];
  if (pause === undefined) return null;
  const seconds = pause * (0.8 + 0.4 * random);
  return new Date(now.getTime() + Math.max(seconds, Math.min(retryAfterSeconds, 24 * hour)) * 1000);
}

/** `Retry-After` in seconds, or as a date; 0 if it is missing or unreadable. */
export function readRetryAfter(header: string | undefined, now: Date): number {
  if (header === undefined) return 0;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const moment = Date.parse(header);
  return Number.isNaN(moment) ? 0 : Math.max(0, (moment - now.getTime()) / 1000);
}
