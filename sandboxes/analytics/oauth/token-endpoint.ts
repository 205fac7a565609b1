import { createHash } from "node:crypto";
import type { Clock } from "../../server/clock.ts";
import type { SandboxAnswer, SandboxCall } from "../../server/sandbox.ts";
import { oauthClient } from "../people/credentials.ts";
import { type PersonKey, people } from "../people/people.ts";
import { newGrant, type Tokens } from "../people/tokens.ts";
import type { AdjustableLimits } from "../quota/limits.ts";
import { jsonType } from "../wire/api-error.ts";
import type { Authorization, CodeGrant } from "./authorize.ts";
import { readAssertion } from "./jwt-bearer.ts";
import { TokenError } from "./token-error.ts";

export interface TokenParts {
  authorization: Authorization;
  tokens: Tokens;
  adjustableLimits: AdjustableLimits;
  clock: Clock;
  baseUrl: string;
}

const noStore = { ...jsonType, "cache-control": "no-cache, no-store, max-age=0, must-revalidate", pragma: "no-cache" };
const badGrant = (description: string) => new TokenError(400, "invalid_grant", description);

/** POST /token, by grant type. */
export function answerToken(call: SandboxCall, parts: TokenParts): SandboxAnswer {
  try {
    const form = new URLSearchParams(call.body.toString());
    const { body, person } = exchange(form, call, parts);
    return { status: 200, headers: noStore, body, identity: people[person].email };
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    const body = { error: error.error, error_description: error.message };
    return { status: error.status, headers: noStore, body, identity: null };
  }
}

interface Exchanged {
  person: PersonKey;
  body: object;
}

function exchange(form: URLSearchParams, call: SandboxCall, parts: TokenParts): Exchanged {
  const grantType = form.get("grant_type") ?? "";
  switch (grantType) {
    case "authorization_code":
      requireClient(form, call);
      return exchangeCode(form, parts);
    case "refresh_token":
      requireClient(form, call);
      return refresh(form, parts);
    case "urn:ietf:params:oauth:grant-type:jwt-bearer": {
      const assertion = required(form, "assertion");
      const { person, scopes } = readAssertion(assertion, parts.clock, parts.baseUrl);
      return { person, body: accessBody(parts, person, scopes, newGrant()) };
    }
    default:
      throw new TokenError(400, "unsupported_grant_type", `Invalid grant_type: ${grantType}`);
  }
}

function required(form: URLSearchParams, name: string): string {
  const value = form.get(name);
  if (!value) throw new TokenError(400, "invalid_request", `Missing required parameter: ${name}`);
  return value;
}

/** In the form, or as the user name and password of the call. */
function requireClient(form: URLSearchParams, call: SandboxCall): void {
  const [basicId = "", basicSecret = ""] = basicCredentials(call.headers.authorization ?? "");
  const id = form.get("client_id") ?? basicId;
  const secret = form.get("client_secret") ?? basicSecret;
  if (id === "") throw new TokenError(400, "invalid_request", "Could not determine client ID from request.");
  if (id !== oauthClient.clientId) throw new TokenError(401, "invalid_client", "The OAuth client was not found.");
  if (secret === "") throw new TokenError(400, "invalid_request", "client_secret is missing.");
  if (secret !== oauthClient.clientSecret) throw new TokenError(401, "invalid_client", "Unauthorized");
}

function basicCredentials(header: string): string[] {
  const basic = /^Basic +(.+)$/i.exec(header)?.[1];
  if (!basic) return [];
  const parts = Buffer.from(basic, "base64").toString().split(":");
  try {
    return parts.map(decodeURIComponent);
  } catch {
    // Not encoded as the protocol has it, so it is taken as it stands.
    return parts;
  }
}

function exchangeCode(form: URLSearchParams, parts: TokenParts): Exchanged {
  const granted = parts.authorization.redeem(required(form, "code"));
  // A bad, used or late code, and one of another client, read the same.
  if (!granted) throw badGrant("Bad Request");
  if (form.get("redirect_uri") !== granted.request.redirectUri)
    throw new TokenError(400, "redirect_uri_mismatch", "Bad Request");
  checkVerifier(form.get("code_verifier"), granted);
  const grant = newGrant();
  const { person, scopes } = granted;
  const life = parts.adjustableLimits.current().refresh_token_seconds;
  const refreshToken = () =>
    parts.tokens.issue({
      kind: "refresh",
      person,
      scopes,
      clientId: granted.request.clientId,
      grant,
      expiresAt: life > 0 ? parts.clock.now() + life * 1000 : null,
    });
  const refreshPart = granted.givesRefreshToken
    ? { refresh_token: refreshToken(), ...(life > 0 ? { refresh_token_expires_in: life } : {}) }
    : {};
  return { person, body: { ...accessBody(parts, person, scopes, grant), ...refreshPart, scope: scopes.join(" ") } };
}

function checkVerifier(verifier: string | null, { request: { challenge } }: CodeGrant): void {
  if (challenge === null) return;
  if (!verifier) throw badGrant("Missing code verifier.");
  const made = challenge.method === "S256" ? createHash("sha256").update(verifier).digest("base64url") : verifier;
  if (made !== challenge.value) throw badGrant("Invalid code verifier.");
}

/** The refresh token is not rotated: the old one stays. */
function refresh(form: URLSearchParams, parts: TokenParts): Exchanged {
  const facts = parts.tokens.read(required(form, "refresh_token"));
  if (facts?.kind !== "refresh") throw badGrant("Token has been expired or revoked.");
  parts.tokens.touch(facts);
  const asked = form.get("scope")?.split(" ").filter(Boolean) ?? [];
  const tooMuch = asked.find((scope) => !facts.scopes.includes(scope));
  if (tooMuch) throw new TokenError(400, "invalid_scope", `${tooMuch} was not granted.`);
  const scopes = asked.length > 0 ? asked : facts.scopes;
  return {
    person: facts.person,
    body: { ...accessBody(parts, facts.person, scopes, facts.grant), scope: scopes.join(" ") },
  };
}

function accessBody(parts: TokenParts, person: PersonKey, scopes: string[], grant: string): object {
  const seconds = parts.adjustableLimits.current().access_token_seconds;
  const expiresAt = parts.clock.now() + seconds * 1000;
  const token = parts.tokens.issue({
    kind: "access",
    person,
    scopes,
    clientId: oauthClient.clientId,
    grant,
    expiresAt,
  });
  return { access_token: token, expires_in: seconds, token_type: "Bearer" };
}
