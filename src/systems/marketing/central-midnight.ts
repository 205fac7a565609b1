// One shared formatter: creating one costs far more than using it, and 25 ms of each start. The Swedish date format is ISO's.
let days: Intl.DateTimeFormat | undefined;
const hour = 3_600_000;

/** The date in US Central time, as `2026-03-02`. */
export function centralDay(at: Date | number): string {
  days ??= new Intl.DateTimeFormat("sv-SE", { timeZone: "America/Chicago", dateStyle: "short" });
  return days.format(at);
}

export const secondsToMidnight = (now: Date): number =>
  Math.ceil((nextCentralMidnight(now).getTime() - now.getTime()) / 1000);

/** The next midnight in US Central time, when the daily quota resets: always a full hour of UTC. */
export function nextCentralMidnight(now: Date): Date {
  const today = centralDay(now);
  let at = Math.floor(now.getTime() / hour) * hour + hour;
  while (centralDay(at) === today) at += hour;
  return new Date(at);
}
