import type { Demand } from "../../systems/define.ts";

export type Resets = NonNullable<Demand["resets"]>;

const hour = 3_600_000;
const daysByZone = new Map<string, { from: number; to: number }>();

/** The reset of a quota after `at`: the next full hour, or the next midnight in the system's time zone. */
export function resetAfter(resets: Resets, at: number): number {
  if (resets === "hourly") return (Math.floor(at / hour) + 1) * hour;
  const zone = resets.daily;
  const known = daysByZone.get(zone);
  if (known && at >= known.from && at < known.to) return known.to;
  // A day may have 23 or 25 hours, and may begin at 01:00 if daylight saving skips midnight.
  const day = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).startOfDay();
  const to = day.add({ days: 1 }).startOfDay().epochMilliseconds;
  daysByZone.set(zone, { from: day.epochMilliseconds, to });
  return to;
}
