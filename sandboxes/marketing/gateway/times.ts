/** How the two halves of the API write times, and how both read them. */

/** Lead Database: `2021-11-23T22:57:08Z`. */
export const leadTime = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`;

/** Asset API: the same with a second, redundant zone marker. */
export const assetTime = (at: number) => `${leadTime(at)}+0000`;

export const dateOnly = (at: number) => new Date(at).toISOString().slice(0, 10);

const shape = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d|Z\+0000)?)?$/;

/** ISO 8601 with an offset, with `Z`, or a day alone; null for anything else. Without a zone it is UTC. */
export function readTime(text: string): number | null {
  const [, day, time, zone] = shape.exec(text.trim()) ?? [];
  if (!day) return null;
  const offset = zone === undefined || zone.startsWith("Z") ? "Z" : zone.length === 5 ? withColon(zone) : zone;
  const at = Date.parse(`${day}T${time ?? "00:00"}${offset}`);
  return Number.isNaN(at) ? null : at;
}

const withColon = (zone: string) => `${zone.slice(0, 3)}:${zone.slice(3)}`;

// One formatter for all: making one costs a hundred times more than using it. The Swedish way of writing a day is the ISO way.
const centralDate = new Intl.DateTimeFormat("sv-SE", { timeZone: "America/Chicago", dateStyle: "short" });

const hour = 3_600_000;

/** The day in US Central time, by which quotas are counted, and the hour for which that is sure: midnight there is a full hour here. */
export function centralDay(at: number): { date: string; from: number; to: number } {
  const from = Math.floor(at / hour) * hour;
  return { date: centralDate.format(at), from, to: from + hour };
}
