import { readdirSync, readFileSync } from "node:fs";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { RegionContext } from "../../calls/region-context.ts";
import type { PageOrigin } from "../../identity/page-origin.ts";
import type { Region } from "../../kernel/regions.ts";
import { sharedStyle } from "../look/shared-style.ts";
import { accountPage } from "./account-page.ts";
import { assistantPage } from "./assistant-page.ts";
import { cliLoginPage } from "./cli-login-page.ts";
import { forgotPage, invitePage, resetPage, signInPage } from "./sign-in-pages.ts";

const pages: Record<string, (region: Region) => string> = {
  "/sign-in": signInPage,
  "/invite": invitePage,
  "/forgot": forgotPage,
  "/reset": resetPage,
  "/account": accountPage,
  "/oauth/authorize": assistantPage,
  "/cli-login": cliLoginPage,
};

const here = new URL("./", import.meta.url);
const scripts = readdirSync(new URL("script/", here)).filter((name) => name.endsWith(".js"));

const stylePath = "/sign-in/style.css";
const scriptPath = (name: string): string => `/sign-in/script/${name}`;

/** Everything served here: the pages, one style sheet, and the scripts. */
export const signInPaths: string[] = [...Object.keys(pages), stylePath, ...scripts.map(scriptPath)];

/**
 * Only our own script and style, no markup created by a script, and no form that the browser submits by itself: if the
 * script fails, the browser must not send a password as part of an address.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

const headersOf = (isSecure: boolean): Record<string, string> => ({
  "content-security-policy": policy,
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-frame-options": "DENY",
  ...(isSecure ? { "strict-transport-security": "max-age=31536000" } : {}),
});

/** The pages for signing in and managing an account. They contain no user data: the script requests it. */
export function serveSignIn(app: FastifyInstance, { context }: { context: RegionContext }): string[] {
  const origin = context.rooms.pages;
  const headers = headersOf(origin.url.startsWith("https:"));
  const kept = new Map<string, Buffer>();
  const once = (key: string, make: () => string): Buffer => {
    const bytes = kept.get(key) ?? Buffer.from(make());
    kept.set(key, bytes);
    return bytes;
  };
  for (const [url, page] of Object.entries(pages)) {
    app.get(url, async (request, reply) => {
      const elsewhere = betterName(request, origin);
      if (elsewhere !== null) return reply.headers(headers).redirect(elsewhere, 302);
      return reply
        .headers({ ...headers, "content-type": "text/html; charset=utf-8" })
        .send(once(url, () => page(context.region)));
    });
  }
  const read = (name: string): string => readFileSync(new URL(name, here), "utf8");
  const file = (url: string, type: string, make: () => string) =>
    app.get(url, async (_request, reply) => reply.headers({ ...headers, "content-type": type }).send(once(url, make)));
  file(stylePath, "text/css; charset=utf-8", () => `${sharedStyle}${read("style.css")}`);
  for (const name of scripts) {
    file(scriptPath(name), "text/javascript; charset=utf-8", () => read(`script/${name}`));
  }
  return signInPaths;
}

/** "Pages on localhost where the name matters": a passkey belongs to a name, and 127.0.0.1 is none. */
export function betterName(request: FastifyRequest, origin: PageOrigin): string | null {
  const isByNumber = origin.rpId === "localhost" && request.headers.host?.split(":")[0] === "127.0.0.1";
  return isByNumber ? `${origin.url}${request.raw.url}` : null;
}
