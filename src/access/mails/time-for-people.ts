const days = new Intl.DateTimeFormat("en-GB", {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** "Tuesday, 17 November 2026, 14:05 UTC". A mail does not know where its reader is, so it names the zone. */
export function timeForPeople(iso: string): string {
  const at = new Date(iso);
  const parts = Object.fromEntries(days.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${parts.weekday}, ${parts.day} ${parts.month} ${parts.year}, ${at.toISOString().slice(11, 16)} UTC`;
}
