import type { IncomingMessage, ServerResponse } from "node:http";
import type Provider from "oidc-provider";
import { escapeHtml, page, readForm } from "../integration/html.ts";
import { createProvider, type SignInSettings } from "./provider.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** "Sign in with" the platform: proves who somebody is. Its tokens open nothing but the user's own card. */
export function createSignIn(settings: SignInSettings, userId: string): (path: string) => Answer | null {
  let provider: Promise<Provider> | null = null;
  const load = () => {
    provider ??= createProvider(settings);
    return provider;
  };
  return (path) => {
    if (path.startsWith("/login/oauth/consent/")) {
      return (request, response) => run(response, async () => askConsent(await load(), userId, request, response));
    }
    const isOurs =
      path.startsWith("/oauth/authorize") || path.startsWith("/login/oauth/") || path.startsWith("/.well-known/");
    if (!isOurs) return null;
    return (request, response) =>
      run(response, async () => {
        askEveryTime(request);
        const handle = (await load()).callback();
        await handle(request, response);
      });
  };
}

/** The library hands out a refresh token only with an explicit `prompt`, which the vendor's clients do not send. */
function askEveryTime(request: IncomingMessage): void {
  const { url = "" } = request;
  if (url.startsWith("/oauth/authorize?") && !url.includes("prompt=")) request.url = `${url}&prompt=consent`;
}

async function askConsent(
  provider: Provider,
  userId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params, uid } = await provider.interactionDetails(request, response);
  if (request.method !== "POST") {
    const scopes = String(params.scope ?? "").split(" ");
    const { status, headers, body } = page(
      "Sign in",
      `<p>An application wants to know who you are.</p>
<ul>${scopes.map((scope) => `<li>${escapeHtml(scope)}</li>`).join("")}</ul>
<form method="post" action="/login/oauth/consent/${escapeHtml(uid)}">
<p><button class="main" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Cancel</button></p>
</form>`,
    );
    response.writeHead(status, headers).end(body);
    return;
  }
  const decision = readForm(await readAll(request)).get("decision");
  if (decision !== "allow") {
    const result = { error: "access_denied", error_description: "The user denied the request." };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
    return;
  }
  const grant = new provider.Grant({ accountId: userId, clientId: String(params.client_id) });
  grant.addOIDCScope(String(params.scope));
  const grantId = await grant.save();
  const result = { login: { accountId: userId }, consent: { grantId } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function run(response: ServerResponse, work: () => Promise<void>): void {
  work().catch((error: unknown) => {
    const { status, headers, body } = page("Sign-in failed", `<p>${escapeHtml(String(error))}</p>`, 400);
    if (!response.headersSent) response.writeHead(status, headers);
    response.end(body);
  });
}
