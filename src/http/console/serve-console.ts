import { randomBytes } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RegionContext } from "../../calls/region-context.ts";
import { tokenIn } from "../cookies.ts";
import { betterName } from "../sign-in/serve-sign-in.ts";
import type { ConsoleFile } from "./console-files.ts";
import { consolePaths, unknownConsolePaths } from "./console-paths.ts";

/** Files are named after their content, so a browser keeps them for a year. */
const assetHeaders = { "cache-control": "public, max-age=31536000, immutable", "x-content-type-options": "nosniff" };

/**
 * Our own scripts and styles, and no other host. Mantine writes its colours into a style element, which the nonce allows. Pop-ups
 * where people connect accounts are at other origins: `same-origin-allow-popups` keeps them within reach.
 */
const headersOf = (nonce: string, isSecure: boolean): Record<string, string> => ({
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join("; "),
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin-allow-popups",
  "cross-origin-resource-policy": "same-origin",
  "x-frame-options": "DENY",
  ...(isSecure ? { "strict-transport-security": "max-age=31536000" } : {}),
});

export interface ConsoleParts {
  context: RegionContext;
  /** The built console, or null while there is none. */
  consoleFiles: () => Map<string, ConsoleFile> | null;
}

/** The console's pages, all of which are one document, and its files. Signed out, each page leads to the sign-in and back. */
export function serveConsole(app: FastifyInstance, { context, consoleFiles }: ConsoleParts): string[] {
  const origin = context.rooms.pages;
  const isSecure = origin.url.startsWith("https:");
  async function show(request: FastifyRequest, reply: FastifyReply, status: number) {
    const elsewhere = betterName(request, origin);
    if (elsewhere !== null) return reply.redirect(elsewhere, 302);
    if (tokenIn(request.headers.cookie, context.region) === null) {
      return reply.redirect(signInFor(request.raw.url ?? "/"), 302);
    }
    const page = consoleFiles()?.get("index.html");
    if (!page) return sendNotBuilt(reply);
    const nonce = randomBytes(16).toString("base64");
    const html = page.plain.toString("utf8").replace("%NONCE%", nonce);
    return reply.code(status).headers(headersOf(nonce, isSecure)).send(html);
  }
  for (const url of consolePaths) app.get(url, (request, reply) => show(request, reply, 200));
  // A person sees the console's own page, with a way back. A program learns it as from any other path.
  for (const url of unknownConsolePaths) {
    app.get(url, async (request, reply) => (isForPerson(request) ? show(request, reply, 404) : reply.callNotFound()));
  }
  const assets = "/console/:file";
  app.get<{ Params: { file: string } }>(assets, async (request, reply) => {
    const file = request.params.file === "index.html" ? undefined : consoleFiles()?.get(request.params.file);
    if (!file) return reply.callNotFound();
    const accepted = String(request.headers["accept-encoding"] ?? "");
    reply.headers({ ...assetHeaders, "content-type": file.type, vary: "accept-encoding" });
    if (file.br && /\bbr\b/.test(accepted)) return reply.header("content-encoding", "br").send(file.br);
    if (file.gzip && /\bgzip\b/.test(accepted)) return reply.header("content-encoding", "gzip").send(file.gzip);
    return reply.send(file.plain);
  });
  // A call that forgets /latest/ learns that its path does not exist, not that a page wants another method.
  return consolePaths.filter((path) => !path.includes(":"));
}

/** An address that is longer than any of ours is not kept: with it, the sign-in's own address would be too long to be read. */
const nextCharactersMax = 4000;
const signInFor = (url: string): string =>
  url.length > nextCharactersMax ? "/sign-in" : `/sign-in?next=${encodeURIComponent(url)}`;

const isForPerson = ({ headers }: FastifyRequest): boolean => headers.accept?.includes("text/html") ?? false;

const sendNotBuilt = (reply: FastifyReply) =>
  reply
    .code(503)
    .headers({ "content-type": "text/plain; charset=utf-8", "retry-after": "5" })
    .send("The console is not built yet. It is built when the server starts; the server's log says why it failed.\n");
