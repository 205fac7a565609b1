const formats = new Map<string, Intl.DateTimeFormat>();

/** "Mon 17 Nov, 09:00", by the clocks of a time zone. */
export function zoneTime(at: string, timeZone: string): string {
  const date = new Date(at);
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  const key = `${timeZone} ${isThisYear}`;
  const known = formats.get(key);
  if (known) return known.format(date);
  const made = new Intl.DateTimeFormat(undefined, {
    timeZone,
    weekday: "short",
    day: "numeric",
    month: "short",
    ...(isThisYear ? {} : { year: "numeric" }),
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  formats.set(key, made);
  return made.format(date);
}

export const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** "GMT+1": how far a time zone is from Greenwich now. */
export function offsetOf(timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "shortOffset" }).formatToParts(new Date());
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
}
