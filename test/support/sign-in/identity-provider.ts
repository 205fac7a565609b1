import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type Provider from "oidc-provider";
import { listen } from "../processes/local-servers.ts";

/** A real OpenID provider, with a page where a user signs in. */
export interface IdentityProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

export interface KnownPerson {
  sub: string;
  email: string;
  name: string;
}

export async function startIdentityProvider(redirectUri: string, people: KnownPerson[]): Promise<IdentityProvider> {
  const { default: OidcProvider } = await import("oidc-provider");
  const client = { clientId: "signalbox", clientSecret: randomBytes(24).toString("hex") };
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  let provider: Provider | null = null;
  const server = createServer((request, response) => {
    void answer(request, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  const issuer = await listen(server);
  provider = new OidcProvider(issuer, {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: "own" }] },
    ttl: { AccessToken: 300, IdToken: 300, AuthorizationCode: 60, Interaction: 600, Session: 3600, Grant: 3600 },
    cookies: { keys: [randomBytes(24).toString("hex")] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "preferred_username"] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, interaction) => `/who/${interaction.uid}` },
    findAccount: (_context, sub) => {
      const person = people.find((each) => each.sub === sub);
      if (!person) return undefined;
      const { email, name } = person;
      return { accountId: sub, claims: () => ({ sub, email, email_verified: true, name, preferred_username: email }) };
    },
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!provider) throw new Error("The provider is not there yet.");
    if (!request.url?.startsWith("/who/")) return provider.callback()(request, response);
    const details = await provider.interactionDetails(request, response);
    if (request.method !== "POST") {
      const wants = details.prompt.name;
      response.writeHead(200, { "content-type": "text/html" }).end(
        `<!doctype html><html lang="en"><title>Who are you?</title><form method="post"><p>${wants}</p>
<label>Address <input name="email" autofocus></label> <button>Continue</button></form></html>`,
      );
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const email = new URLSearchParams(Buffer.concat(chunks).toString()).get("email");
    const person = people.find((each) => each.email === email);
    const result = person
      ? { login: { accountId: person.sub }, consent: { grantId: await grantFor(provider, person.sub, details.params) } }
      : { error: "access_denied", error_description: "Nobody here has this address." };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }

  return { issuer, ...client };
}

async function grantFor(provider: Provider, accountId: string, params: Record<string, unknown>): Promise<string> {
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) });
  grant.addOIDCScope(String(params.scope));
  return grant.save();
}
