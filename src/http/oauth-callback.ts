import { randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { RegionContext } from "../api/call.ts";
import { originsOf } from "../identity/place.ts";
import type { Region } from "../kernel/regions.ts";
import type { ConsentEnd } from "../vault/authorization-code.ts";
import { html } from "./documentation/html.ts";

export const callbackPath = "/oauth/callback";

/**
 * Where consent pages send people back to. The code is exchanged here, on the server; the page that is shown tells the window
 * that opened it, and closes. What it tells are two ids, no secrets, and only a window of our own address can hear it.
 */
export function serveOauthCallback(
  app: FastifyInstance,
  parts: { context: RegionContext; baseUrls: Record<Region, string> },
): string {
  const { context, baseUrls } = parts;
  const listeners = originsOf(baseUrls[context.region]);
  // Only GET: a state works once, and whoever only looks must not use it up.
  app.get(callbackPath, { exposeHeadRoute: false }, async (request, reply) => {
    const url = request.raw.url ?? "";
    const mark = url.indexOf("?");
    const end = await context.rooms.vault.finishConsent(new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1)));
    const nonce = randomBytes(16).toString("base64");
    return reply
      .code(end.ok ? 200 : 400)
      .headers(headersWith(nonce))
      .send(pageOf(end, nonce, listeners));
  });
  return callbackPath;
}

const headersWith = (nonce: string): Record<string, string> => ({
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  // The address holds the code and the state.
  "referrer-policy": "no-referrer",
});

function pageOf(end: ConsentEnd, nonce: string, listeners: string[]): string {
  const message = end.ok
    ? { type: "signalbox:connected", connect_id: end.connectId, connection_id: end.connectionId }
    : { type: "signalbox:connect_failed", connect_id: end.connectId };
  const told = JSON.stringify({ message, listeners, next: end.ok ? end.next : null, close: end.ok });
  const title = end.ok ? "The account is connected" : "The account was not connected";
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Signalbox</title>
<style nonce="${nonce}">
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 3rem auto; padding: 0 1rem }
</style>
</head>
<body>
<main>
<h1>${title}</h1>
${
  end.ok
    ? html`<p role="status">You can close this window and go on in Signalbox.</p>`
    : html`<div role="alert"><p>${end.detail}</p><p>${end.remedy}</p></div>
<p>You can close this window.</p>`
}
</main>
<script nonce="${nonce}" data-told="${told}">
const told = JSON.parse(document.currentScript.dataset.told);
if (window.opener) for (const origin of told.listeners) window.opener.postMessage(told.message, origin);
if (told.next) location.replace(told.next);
else if (told.close) window.close();
</script>
</body>
</html>
`.text;
}
