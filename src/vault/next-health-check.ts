const everyHours = 6;
const soonMinutes = 15;

export const longestPauseHours = everyHours + 1;

/** Five to seven hours, so that connections made together are not checked together. */
export const nextCheckAt = (now: Date, random = Math.random()): string =>
  new Date(now.getTime() + (everyHours - 1 + 2 * random) * 3_600_000).toISOString();

/** Sooner, after a system was unreachable. */
export const nextCheckSoon = (now: Date, random = Math.random()): string =>
  new Date(now.getTime() + soonMinutes * 60_000 * (0.75 + 0.5 * random)).toISOString();
