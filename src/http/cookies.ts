import type { IncomingHttpHeaders } from "node:http";
import type { Credentials } from "../access/callers/authorization-header.ts";
import { hashOfToken, lifeDaysMax } from "../access/callers/sessions.ts";
import { originsOf } from "../identity/page-origin.ts";
import { Problem } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";

/** All ports of a machine share cookies, so each region has its own name. */
export const cookieName = (region: Region): string => `__Host-sb_session_${region}`;

const projectShape = /^[A-Za-z0-9_-]{1,64}$/;
/** The form of nearly all our cookies: random text. */
const valueShape = /^[0-9A-Za-z]{43}$/;

/**
 * Not readable by scripts, not sent by other sites except with a link, and encrypted in transit except on this machine.
 */
export function sessionCookie(region: Region, token: string | null): string {
  const life = token === null ? 0 : lifeDaysMax * 86_400;
  return `${cookieName(region)}=${token ?? ""}; Path=/; Max-Age=${life}; Secure; HttpOnly; SameSite=Lax`;
}

const knownName = (region: Region): string => `__Host-sb_known_${region}`;
/** Sealed text has another form than the other cookies. */
const sealedShape = /^[\w.-]{20,2000}$/;
const knownDays = 180;

/** Identifies a browser that has signed in before. It grants nothing, and stays after sign-out. */
export const knownCookie = (region: Region, sealed: string): string =>
  `${knownName(region)}=${sealed}; Path=/; Max-Age=${knownDays * 86_400}; Secure; HttpOnly; SameSite=Lax`;

export const knownIn = (header: string | undefined, region: Region): string | null =>
  cookieIn(header, knownName(region), sealedShape);

/**
 * The credentials in the session cookie, or null without one. A browser sends the cookie with requests of any page, so
 * the request must come from a page of ours. The browser states that in Origin or Sec-Fetch-Site, which no page can
 * change.
 */
export function readSession(headers: IncomingHttpHeaders, region: Region, baseUrl: string): Credentials | null {
  const token = tokenIn(headers.cookie, region);
  if (token === null) return null;
  refuseOtherSites(headers, baseUrl);
  const project = headers["x-signalbox-project"];
  if (project !== undefined && !projectShape.test(String(project))) {
    throw new Problem("malformed_request", "X-Signalbox-Project holds no project id.");
  }
  const keyHash = hashOfToken(token);
  return {
    by: "session",
    projectId: project === undefined ? null : String(project),
    keyHash,
    // Failures count per session: made-up sessions do not count against this one.
    keyPrefix: `session ${keyHash.slice(0, 16)}`,
    region,
  };
}

export const tokenIn = (header: string | undefined, region: Region): string | null =>
  cookieIn(header, cookieName(region));

/** The raw value. Two cookies with the name, or a malformed one, count as none. */
export function cookieIn(header: string | undefined, name: string, shape = valueShape): string | null {
  if (header === undefined) return null;
  const start = `${name}=`;
  const found = header.split(/; */).filter((pair) => pair.startsWith(start));
  const value = found.length === 1 ? found[0]?.slice(start.length) : undefined;
  return value !== undefined && shape.test(value) ? value : null;
}

export function refuseOtherSites(headers: IncomingHttpHeaders, baseUrl: string): void {
  const { origin } = headers;
  const isOurs =
    origin === undefined
      ? headers["sec-fetch-site"] === "same-origin"
      : originsOf(baseUrl).includes(String(origin)) && headers["sec-fetch-site"] !== "cross-site";
  if (!isOurs) throw new Problem("origin_refused");
}
