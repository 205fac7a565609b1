import { oauthClient } from "../people/credentials.ts";
import { scopes, userScopes } from "../people/tokens.ts";

/** What a client asks of a person, checked. */
export interface AuthorizationRequest {
  clientId: string;
  redirectUri: string;
  scopes: string[];
  state: string | null;
  isOffline: boolean;
  prompt: string;
  includesGranted: boolean;
  loginHint: string;
  challenge: { method: "S256" | "plain"; value: string } | null;
}

/** Refusals that a person sees, because the client cannot be trusted with them. */
export interface ShownError {
  error: string;
  explanation: string;
}

const identityScopes = [
  "openid",
  "email",
  "profile",
  "https://www.googleapis.com/auth/userinfo.email",
  "https://www.googleapis.com/auth/userinfo.profile",
];
const knownScopes = new Set<string>([...Object.values(scopes), ...Object.values(userScopes), ...identityScopes]);
export const isIdentityScope = (scope: string): boolean => identityScopes.includes(scope);

export function readAuthorizationRequest(query: URLSearchParams): AuthorizationRequest | ShownError {
  const required = ["client_id", "redirect_uri", "response_type", "scope"].find((name) => !query.get(name));
  if (required) return { error: "invalid_request", explanation: `Required parameter is missing: ${required}` };
  const value = (name: string) => query.get(name) ?? "";
  if (value("client_id") !== oauthClient.clientId)
    return { error: "invalid_client", explanation: "The OAuth client was not found." };
  if (!isRegistered(value("redirect_uri"))) {
    return {
      error: "redirect_uri_mismatch",
      explanation: "The redirect URI in the request does not match the ones authorized for the OAuth client.",
    };
  }
  if (value("response_type") !== "code")
    return { error: "unsupported_response_type", explanation: "Only the response type code is supported." };
  const asked = [...new Set(value("scope").split(/[ +]+/).filter(Boolean))];
  const unknown = asked.find((scope) => !knownScopes.has(scope));
  if (unknown) return { error: "invalid_scope", explanation: `Some requested scopes were invalid: ${unknown}` };
  const challenge = readChallenge(query);
  if (challenge !== null && "error" in challenge) return challenge;
  return {
    clientId: value("client_id"),
    redirectUri: value("redirect_uri"),
    scopes: asked,
    state: query.get("state"),
    isOffline: value("access_type") === "offline",
    prompt: value("prompt"),
    includesGranted: value("include_granted_scopes") === "true",
    loginHint: value("login_hint"),
    challenge,
  };
}

function readChallenge(query: URLSearchParams): AuthorizationRequest["challenge"] | ShownError {
  const challenge = query.get("code_challenge");
  const method = query.get("code_challenge_method") ?? "plain";
  if (challenge === null) return null;
  if (method !== "S256" && method !== "plain")
    return { error: "invalid_request", explanation: "Invalid code_challenge_method." };
  if (!/^[\w.~-]{43,128}$/.test(challenge)) return { error: "invalid_request", explanation: "Invalid code_challenge." };
  return { method, value: challenge };
}

/** Registered are plain addresses of this machine and all https ones; a code goes back to exactly the address it was asked for. */
function isRegistered(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, hash } = new URL(address);
  const isLoopback = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  return hash === "" && (protocol === "https:" || (protocol === "http:" && isLoopback));
}
