/** How the system keeps the values of leads, so that one that was sent is known again. */

/** "`null` or `""` clears a field", and an unset field is null. */
export const textOf = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

const decimal = /^-?\d+(?:\.\d+)?$/;
const yes = new Set(["true", "1", "yes"]);
const no = new Set(["false", "0", "no", ""]);

/**
 * Whether a field has the value that was sent. The system trims texts, finds addresses in any case, and keeps numbers,
 * yes-or-no values and times in forms of its own. A yes-or-no that is not set is "no".
 */
export function isSameValue(kept: unknown, sent: unknown): boolean {
  const text = textOf(sent).trim();
  if (typeof kept === "boolean") return (kept ? yes : no).has(text.toLowerCase());
  if (typeof kept === "number") return decimal.test(text) && Number(text) === kept;
  const own = textOf(kept).trim();
  return own === text || isSameAddress(own, text) || isSameTime(own, text);
}

/** The forms under which a key may be kept. */
export function keysOf(sent: unknown): string[] {
  const text = textOf(sent).trim().toLowerCase();
  return decimal.test(text) ? [...new Set([text, String(Number(text))])] : [text];
}

/** The system keeps an address as first written, and finds it in any case. */
const isSameAddress = (kept: string, sent: string): boolean =>
  kept.includes("@") && kept.toLowerCase() === sent.toLowerCase();

const time = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(Z|[+-]\d\d:?\d\d|Z\+0000)?)?$/;

/** Times are kept in whole seconds of UTC, dates without a time. Without a zone, a time that was sent is UTC. */
function isSameTime(kept: string, sent: string): boolean {
  const [own, other] = [readTime(kept), readTime(sent)];
  if (own === null || other === null) return false;
  return kept.length === dateLength ? [sent, other].some((each) => each.startsWith(kept)) : own === other;
}

const dateLength = "2026-01-01".length;

function readTime(text: string): string | null {
  const [, day, clock = "00:00", zone = "Z"] = time.exec(text) ?? [];
  if (day === undefined) return null;
  const at = Date.parse(`${day}T${clock}${zone === "Z+0000" ? "Z" : zone.replace(/^([+-]\d\d)(\d\d)$/, "$1:$2")}`);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
