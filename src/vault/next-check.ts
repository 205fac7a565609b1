const everyHours = 6;
const soonMinutes = 15;

/** Six hours, give or take one, so that connections made together are not looked at together. */
export const nextCheckAt = (now: Date, random = Math.random()): string =>
  new Date(now.getTime() + (everyHours - 1 + 2 * random) * 3_600_000).toISOString();

/** Where a system was away, it is looked for sooner. */
export const nextCheckSoon = (now: Date, random = Math.random()): string =>
  new Date(now.getTime() + soonMinutes * 60_000 * (0.75 + 0.5 * random)).toISOString();
