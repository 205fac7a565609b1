import { type Endpoint, type Grant, type SignIn, SignInFailed } from "../systems/sign-in.ts";

/** What a service account signs to get a token (RFC 7523): good for a few minutes, and for this one system. */
export async function assertionOf(
  signIn: SignIn,
  grant: Grant,
  endpoint: Endpoint,
  now: Date,
): Promise<string | undefined> {
  const claims = grant.kind === "service account" ? signIn.assertion?.(endpoint) : undefined;
  if (grant.kind !== "service account" || !claims) return undefined;
  // Few accounts are of this kind, and a server without one starts faster without it.
  const { importPKCS8, SignJWT } = await import("jose");
  const issuedAt = Math.floor(now.getTime() / 1000);
  const key = await importPKCS8(grant.privateKey, "RS256").catch(() => {
    throw new SignInFailed("invalid_credentials", "The private key of the service account cannot be read.", {
      isGone: true,
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
