import { randomBytes } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { authenticate } from "../../access/callers/authenticate.ts";
import { hashOfToken } from "../../access/callers/sessions.ts";
import type { RegionContext } from "../../calls/region-context.ts";
import { originsOf } from "../../identity/page-origin.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Region } from "../../kernel/regions.ts";
import { tokenIn } from "../cookies.ts";
import { browserCookieOf, hashOfBrowser, isBrowser, newBrowser, proofOfPage } from "./browser-binding.ts";
import { endPage, overPage, startPage } from "./consent-pages.ts";

const startPath = "/oauth/start";
const callbackPath = "/oauth/callback";

/**
 * Where users start a requested consent, and where the systems' consent pages redirect to. Only GET: a state works
 * once, and a HEAD request must not use it up.
 */
export function serveConsent(
  app: FastifyInstance,
  parts: { context: RegionContext; baseUrls: Record<Region, string> },
): string[] {
  const { context } = parts;
  const { region, store, now } = context;
  const { vault, limits } = context.rooms;
  const baseUrl = parts.baseUrls[region];
  const listeners = originsOf(baseUrl);
  const cookie = browserCookieOf(region, baseUrl);

  /**
   * Whether a page of ours leads here in the session that began the consent. Its person is not enough: a link can sign a
   * browser in as the attacker, with the attacker's provider. The session alone is not enough either: a link of another
   * site is sent with its cookie. Redirects that began at another site stay `cross-site`.
   */
  async function hasBegunIt(request: FastifyRequest, keyId: string): Promise<boolean> {
    if (request.headers["sec-fetch-site"] !== "same-origin") return false;
    return (await sessionIn(request)) === keyId;
  }

  /** The id of the browser's session, if it has a valid one. */
  async function sessionIn(request: FastifyRequest): Promise<string | null> {
    const token = tokenIn(request.headers.cookie, region);
    if (token === null) return null;
    const session = { by: "session", keyHash: hashOfToken(token) } as const;
    try {
      return (await authenticate(store.reserve, session, null, now())).actor.keyId;
    } catch (error) {
      if (error instanceof Problem) return null;
      throw error;
    }
  }

  const show = (reply: FastifyReply, status: number, page: string, nonce?: string) =>
    reply.code(status).headers(pageHeaders(nonce)).send(page);

  // Every browser sees our page first, except the one that requested the consent: it would tell its user what they have
  // just done.
  app.get(startPath, { exposeHeadRoute: false }, async (request, reply) => {
    await limits.admit(["sign_in"], request.ip);
    const query = queryOf(request);
    const connectId = query.get("state") ?? "";
    const shown = await vault.showConsent(connectId);
    if (!shown.ok) return show(reply, 400, overPage(region, shown));
    const browser = cookie.in(request.headers.cookie) ?? newBrowser();
    reply.header("set-cookie", cookie.set(browser));
    const goesOn =
      !isBrowser(request.headers) ||
      hasSeenPage(request, query.get("go"), proofOfPage(connectId, browser)) ||
      (await hasBegunIt(request, shown.keyId));
    if (!goesOn) {
      const onward = `${startPath}?${new URLSearchParams({ state: connectId, go: proofOfPage(connectId, browser) })}`;
      return show(reply, 200, startPage(region, shown.asked, onward));
    }
    const location = await vault.openConsent(connectId, hashOfBrowser(browser));
    if (location === null) return show(reply, 400, overPage(region, usedMeanwhile));
    return reply.code(302).headers({ location, "referrer-policy": "no-referrer" }).send("");
  });

  app.get(callbackPath, { exposeHeadRoute: false }, async (request, reply) => {
    const { headers } = request;
    const browser = cookie.in(headers.cookie);
    const bound = isBrowser(headers) ? { browserHash: browser === null ? null : hashOfBrowser(browser) } : null;
    const end = await vault.finishConsent(queryOf(request), bound);
    const nonce = randomBytes(16).toString("base64");
    return show(reply, end.ok ? 200 : 400, endPage(region, end, nonce, listeners), nonce);
  });
  return [startPath, callbackPath];
}

/** A link of our own page: another site neither knows the proof nor can claim to be the same origin. */
function hasSeenPage({ headers }: FastifyRequest, given: string | null, proof: string): boolean {
  const site = headers["sec-fetch-site"];
  return given === proof && (site === undefined || site === "same-origin");
}

const usedMeanwhile = { detail: "This sign-in was used already.", remedy: "Begin again from Signalbox." };

/** Allows only our own style and, on the last page, the one script of this response. The address contains the state. */
const pageHeaders = (nonce?: string): Record<string, string> => ({
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; ${nonce === undefined ? "" : `script-src 'nonce-${nonce}'; `}style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
});

function queryOf(request: FastifyRequest): URLSearchParams {
  const url = request.raw.url ?? "";
  const mark = url.indexOf("?");
  return new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1));
}
