import { type Endpoint, type Grant, type SignIn, SignInFailed } from "../systems/sign-in.ts";

/**
 * Signs the JWT that a service account exchanges for a token (RFC 7523): valid for ten minutes, and for this system
 * only.
 */
export async function signAssertion(
  signIn: SignIn,
  grant: Grant,
  endpoint: Endpoint,
  now: Date,
): Promise<string | undefined> {
  const claims = grant.kind === "service account" ? signIn.assertion?.(endpoint) : undefined;
  if (grant.kind !== "service account" || !claims) return undefined;
  // Loaded on demand: few accounts are of this kind, and a server without one starts faster.
  const { importPKCS8, SignJWT } = await import("jose");
  const issuedAt = Math.floor(now.getTime() / 1000);
  const key = await importPKCS8(grant.privateKey, "RS256").catch(() => {
    throw new SignInFailed("invalid_credentials", "The private key of the service account cannot be read.", {
      isGrantLost: true,
      remedy: "Paste the key file as it was downloaded, with the line breaks of its private key.",
    });
  });
  return new SignJWT({ scope: claims.scopes.join(" ") })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(grant.keyId ? { kid: grant.keyId } : {}) })
    .setIssuer(grant.email)
    .setAudience(claims.audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + 600)
    .sign(key);
}
