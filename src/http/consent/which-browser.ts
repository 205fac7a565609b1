import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { randomBase62 } from "../../kernel/random.ts";
import type { Region } from "../../kernel/regions.ts";
import { cookieIn } from "../cookies.ts";

/**
 * Which browser a sign-in belongs to. Somebody could begin one for their own project and send its address to another person,
 * whose account would then be connected there. So a browser must have shown our own page, which says what for, and come back
 * with the cookie that it got there.
 *
 * Programs have no person in front of them who could be led there by a link, and many keep no cookies; they go on with the
 * state alone. What comes from a browser can always be told: pages cannot keep a browser from naming itself, nor leave out or
 * change `Sec-Fetch-Site` and `Sec-Fetch-Dest`; older browsers, and those at plain http addresses, still ask for `text/html` when
 * they open a page and call themselves Mozilla with everything.
 */
export function isBrowser(headers: IncomingHttpHeaders): boolean {
  const isNavigation = headers["sec-fetch-mode"] === "navigate" || (headers.accept ?? "").includes("text/html");
  const saysSo = headers["sec-fetch-site"] !== undefined || headers["sec-fetch-dest"] !== undefined;
  return isNavigation || saysSo || headers.origin !== undefined || /mozilla\//i.test(headers["user-agent"] ?? "");
}

/** As long as a sign-in is good for, and a little more. */
const lifeSeconds = 900;

/** Of one region, at its base address. The cookie of plain http could otherwise not be set: no browser takes a secure one there. */
export interface BrowserCookie {
  in(header: string | undefined): string | null;
  set(value: string): string;
}

export function browserCookieOf(region: Region, baseUrl: string): BrowserCookie {
  const isSecure = baseUrl.startsWith("https:");
  const name = `${isSecure ? "__Host-" : ""}sb_connect_${region}`;
  return {
    in: (header) => cookieIn(header, name),
    // Lax: it must come along when the system's page leads back here by a link.
    set: (value) =>
      `${name}=${value}; Path=/; Max-Age=${lifeSeconds}; ${isSecure ? "Secure; " : ""}HttpOnly; SameSite=Lax`,
  };
}

export const newBrowser = (): string => randomBase62(43);

export const hashOfBrowser = (browser: string): string => hash("sha256", browser, "hex");

/**
 * Stands in our page, and so shows that whoever goes on has seen it: no other site can read the page, and what it says for one
 * browser is nothing to another.
 */
export const proofOfPage = (connectId: string, browser: string): string =>
  hash("sha256", `${connectId} ${browser}`, "base64url");
