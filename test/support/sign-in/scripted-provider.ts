import { createHash, generateKeyPairSync, hash, type KeyObject, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { SignJWT } from "jose";
import { serve } from "../processes/local-servers.ts";

/** The contents of an ID token before it is signed. */
export interface Token {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  key: KeyObject;
}

/** How the provider writes its ID token; by default it signs the given contents. */
export type WriteToken = (token: Token) => Promise<string> | string;

export const signed: WriteToken = ({ header, claims, key }) =>
  new SignJWT(claims).setProtectedHeader(header as { alg: string }).sign(key);

interface Authorization {
  nonce: string;
  challenge: string;
  redirectUri: string;
}

/** A scripted OpenID provider, which can also violate the protocol. It follows the protocol by default. */
export interface ScriptedProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  key: KeyObject;
  publicKey: KeyObject;
  /** The user who signs in next. */
  person: Record<string, unknown>;
  write: WriteToken;
  /** Changes to its metadata. */
  metadata: Record<string, unknown>;
  jwks: Record<string, unknown>[];
  userinfo: Record<string, unknown>;
  /** The requested paths. */
  asked: string[];
  /** The user agrees: the address that their browser returns to. */
  agree(location: string): URL;
}

/** One key pair for all providers of a file: creating one takes as long as a whole sign-in. */
let pair: { publicKey: KeyObject; privateKey: KeyObject } | null = null;

export async function startScriptedProvider(): Promise<ScriptedProvider> {
  pair ??= generateKeyPairSync("rsa", { modulusLength: 2048 });
  const { publicKey, privateKey } = pair;
  const codes = new Map<string, Authorization>();
  const origin = await serve((request, response) => {
    void answer(request, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  const provider: ScriptedProvider = {
    issuer: origin,
    clientId: "signalbox",
    clientSecret: `secret${randomBytes(12).toString("hex")}`,
    key: privateKey,
    publicKey,
    person: { sub: "subject-1", email: "ada@example.com", email_verified: true, name: "Ada" },
    write: signed,
    metadata: {},
    jwks: [{ ...publicKey.export({ format: "jwk" }), kid: "k1", use: "sig", alg: "RS256" }],
    userinfo: {},
    asked: [],
    agree(location) {
      const { searchParams: asked } = new URL(location);
      const code = randomBytes(16).toString("hex");
      const redirectUri = asked.get("redirect_uri") ?? "";
      codes.set(code, { nonce: asked.get("nonce") ?? "", challenge: asked.get("code_challenge") ?? "", redirectUri });
      const back = new URL(redirectUri);
      back.search = String(new URLSearchParams({ code, state: asked.get("state") ?? "", iss: origin }));
      return back;
    },
  };

  const json = (response: ServerResponse, value: unknown, status = 200) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").split("?")[0] ?? "";
    provider.asked.push(path);
    if (path === "/.well-known/openid-configuration") {
      json(response, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        userinfo_endpoint: `${origin}/userinfo`,
        jwks_uri: `${origin}/jwks`,
        response_types_supported: ["code"],
        id_token_signing_alg_values_supported: ["RS256", "ES256", "HS256", "none"],
        authorization_response_iss_parameter_supported: true,
        ...provider.metadata,
      });
    } else if (path === "/jwks") json(response, { keys: provider.jwks });
    else if (path === "/userinfo") json(response, provider.userinfo);
    else if (path === "/token") await answerToken(request, response);
    else response.writeHead(404).end();
  }

  async function answerToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const basic = `Basic ${Buffer.from(`${provider.clientId}:${provider.clientSecret}`).toString("base64")}`;
    if (request.headers.authorization !== basic) return void json(response, { error: "invalid_client" }, 401);
    const known = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const fits = known?.challenge === challenge && known.redirectUri === form.get("redirect_uri");
    if (!known || !fits) return void json(response, { error: "invalid_grant" }, 400);
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: origin,
      aud: provider.clientId,
      iat: now,
      exp: now + 300,
      auth_time: now,
      nonce: known.nonce,
      ...provider.person,
    };
    const header = { alg: "RS256", typ: "JWT", kid: "k1" };
    const idToken = await provider.write({ header, claims, key: provider.key });
    const accessToken = hash("sha256", idToken);
    json(response, { access_token: accessToken, token_type: "Bearer", expires_in: 300, id_token: idToken });
  }

  return provider;
}
