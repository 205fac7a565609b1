import type { Answer } from "../systems/work.ts";
import { refuseTarget } from "./check-target.ts";
import { SendFailed } from "./send-failed.ts";

/** "Same-origin redirects may be followed at most 3 times for GET only"; to any other, no credential is ever sent. */

const redirectsMax = 3;
const statuses = new Set([301, 302, 303, 307, 308]);

/** Whether an answer is a redirect. 304, and a redirect without a Location, are ordinary answers. */
export const isRedirect = ({ status, headers }: Pick<Answer, "status"> & { headers: Headers }): boolean =>
  statuses.has(status) && typeof headers.location === "string";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Path and query of the `hops`th redirect in a row, or SendFailed; null follows none. The message names only the origin
 * of the target: paths and queries of such addresses often hold credentials.
 */
export function nextTarget(
  { origin, method, target }: { origin: string; method: string; target: string },
  headers: Headers,
  hops: number | null,
): string {
  const url = URL.parse(String(headers.location), `${origin}${target}`);
  const stop = (why: string) => new SendFailed("redirected", "maybe", why);
  if (url === null) throw stop("The system redirects to something that is no address.");
  if (url.origin !== origin || url.username || url.password)
    throw stop(`The system redirects to ${url.origin}, which is another address.`);
  if (hops === null) throw stop("The system redirects, which is not followed here.");
  if (method !== "GET") throw stop(`The system redirects a ${method}, which is not followed.`);
  if (hops > redirectsMax) throw stop(`The system redirects more than ${redirectsMax} times.`);
  const next = `${url.pathname}${url.search}`;
  if (refuseTarget(origin, next)) throw stop("The system redirects to a path that cannot be called.");
  return next;
}

/** The part of a Location that may be shown: for another origin only the origin, for this one no query. */
export function shownLocation(location: string, origin: string): string {
  const url = URL.parse(location, origin);
  if (url === null) return "[not an address]";
  return url.origin === origin ? url.pathname : url.origin;
}
