import { verify } from "node:crypto";
import type { Clock } from "../../server/clock.ts";
import { people } from "../people/people.ts";
import { serviceAccountPublicKey } from "../people/service-account.ts";
import { scopes as knownScopes } from "../people/tokens.ts";
import { TokenError } from "./token-error.ts";

const lifeSecondsMax = 3600;
// Clocks differ a little.
const skewSeconds = 300;

/** A service account signs its own request (RFC 7523). Checked as the vendor checks it, with the vendor's sentences. */
export function readAssertion(assertion: string, clock: Clock, baseUrl: string): { scopes: string[] } {
  const [header = "", payload = "", signature = ""] = assertion.split(".");
  const claims = parse(payload);
  const { alg } = parse(header);
  if (claims.iss !== people.service.email) throw refused("invalid_grant", "Invalid grant: account not found");
  const isSigned = verify(
    "RSA-SHA256",
    Buffer.from(`${header}.${payload}`),
    serviceAccountPublicKey(),
    Buffer.from(signature, "base64url"),
  );
  if (alg !== "RS256" || !isSigned) throw refused("invalid_grant", "Invalid JWT Signature.");
  const audiences = ["https://oauth2.googleapis.com/token", `${baseUrl}/token`];
  if (!audiences.includes(String(claims.aud))) throw refused("invalid_grant", "Invalid JWT: Failed audience check.");
  const now = clock.now() / 1000;
  const { iat, exp } = claims;
  const isTimely =
    typeof iat === "number" &&
    typeof exp === "number" &&
    exp - iat <= lifeSecondsMax &&
    iat <= now + skewSeconds &&
    exp >= now - skewSeconds;
  if (!isTimely) {
    throw refused(
      "invalid_grant",
      "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.",
    );
  }
  const asked = String(claims.scope ?? "")
    .split(" ")
    .filter(Boolean);
  if (asked.length === 0) throw refused("invalid_scope", "Empty or missing scope not allowed.");
  const known: readonly string[] = Object.values(knownScopes);
  if (!asked.every((scope) => known.includes(scope))) {
    throw refused("invalid_scope", "Invalid OAuth scope or ID token audience provided.");
  }
  return { scopes: asked };
}

function parse(part: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(part, "base64url").toString()));
  } catch {
    throw refused("invalid_grant", "Invalid JWT Signature.");
  }
}

const refused = (error: string, description: string) => new TokenError(400, error, description);
