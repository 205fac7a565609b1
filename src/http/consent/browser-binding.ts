import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { randomBase62 } from "../../kernel/random.ts";
import type { Region } from "../../kernel/regions.ts";
import { cookieIn } from "../cookies.ts";

/**
 * Binds a consent to one browser. An attacker could start a consent for their own project and send its address to a
 * victim, whose account would then be connected there. So the browser must have shown our own page, which says what it
 * is for, and return with the cookie set there. A program has no user whom a link could mislead, and many keep no
 * cookies: it continues with the state alone. Requests from browsers are recognizable: no page can suppress or change
 * `Sec-Fetch-Site` and `Sec-Fetch-Dest`. Older browsers, and those at plain http addresses, request `text/html` when
 * they open a page and always call themselves Mozilla.
 */
export function isBrowser(headers: IncomingHttpHeaders): boolean {
  const isNavigation = headers["sec-fetch-mode"] === "navigate" || (headers.accept ?? "").includes("text/html");
  const saysSo = headers["sec-fetch-site"] !== undefined || headers["sec-fetch-dest"] !== undefined;
  return isNavigation || saysSo || headers.origin !== undefined || /mozilla\//i.test(headers["user-agent"] ?? "");
}

/** A little longer than a consent is valid. */
const lifeSeconds = 900;

/** The cookie of one region. At a plain http address it is not `Secure`, because browsers would not set it. */
export interface BrowserCookie {
  in(header: string | undefined): string | null;
  set(value: string): string;
}

export function browserCookieOf(region: Region, baseUrl: string): BrowserCookie {
  const isSecure = baseUrl.startsWith("https:");
  const name = `${isSecure ? "__Host-" : ""}sb_connect_${region}`;
  return {
    in: (header) => cookieIn(header, name),
    // Lax: the browser must send it when the system's page redirects here.
    set: (value) =>
      `${name}=${value}; Path=/; Max-Age=${lifeSeconds}; ${isSecure ? "Secure; " : ""}HttpOnly; SameSite=Lax`,
  };
}

export const newBrowser = (): string => randomBase62(43);

export const hashOfBrowser = (browser: string): string => hash("sha256", browser, "hex");

/**
 * Part of our page, and so proves that the user has seen it: no other site can read the page, and the proof is valid
 * for one browser only.
 */
export const proofOfPage = (connectId: string, browser: string): string =>
  hash("sha256", `${connectId} ${browser}`, "base64url");
