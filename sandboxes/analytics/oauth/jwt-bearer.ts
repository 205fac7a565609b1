import type { Clock } from "../../server/clock.ts";
import type { PersonKey } from "../people/people.ts";
import { isTimely, readServiceJwt } from "../people/service-jwt.ts";
import { scopes as knownScopes, userScopes } from "../people/tokens.ts";
import { TokenError } from "./token-error.ts";

const refusals = {
  unreadable: "Invalid JWT Signature.",
  "unknown account": "Invalid grant: account not found",
  "disabled account": "Robot is disabled.",
  signature: "Invalid JWT Signature.",
};

/** A service account signs its own request (RFC 7523). Checked as the vendor checks it, with the vendor's sentences. */
export function readAssertion(
  assertion: string,
  clock: Clock,
  baseUrl: string,
): { person: PersonKey; scopes: string[] } {
  const read = readServiceJwt(assertion);
  if ("refusal" in read) throw refused("invalid_grant", refusals[read.refusal]);
  const { person, claims } = read;
  const audiences = ["https://oauth2.googleapis.com/token", `${baseUrl}/token`];
  if (!audiences.includes(String(claims.aud))) throw refused("invalid_grant", "Invalid JWT: Failed audience check.");
  if (!isTimely(claims, clock.now())) {
    throw refused(
      "invalid_grant",
      "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.",
    );
  }
  const asked = String(claims.scope ?? "")
    .split(" ")
    .filter(Boolean);
  if (asked.length === 0) throw refused("invalid_scope", "Empty or missing scope not allowed.");
  const known: readonly string[] = [...Object.values(knownScopes), ...Object.values(userScopes)];
  if (!asked.every((scope) => known.includes(scope))) {
    throw refused("invalid_scope", "Invalid OAuth scope or ID token audience provided.");
  }
  return { person, scopes: asked };
}

const refused = (error: string, description: string) => new TokenError(400, error, description);
