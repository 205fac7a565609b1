import type { ServerMetadata } from "openid-client";
import { Problem } from "../../../kernel/problem.ts";
import { refuseAddress } from "../provider-settings.ts";

/** Asymmetric algorithms only: never `none`, and no shared secrets. */
export const signingAlgorithms: readonly string[] = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/** Checks the provider's metadata before use. Throws a problem that helps the owner. */
export function refuseMetadata(metadata: ServerMetadata, issuer: string, privateOrigins: readonly string[]): void {
  const stop = (why: string) => new Problem("provider_unreachable", why);
  if (new URL(metadata.issuer).href !== new URL(issuer).href) {
    throw stop(`The server at ${issuer} is another issuer.`);
  }
  for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const) {
    const address = metadata[name];
    if (address === undefined) throw stop(`The provider's configuration names no ${name}.`);
    const refused = refuseAddress(address, privateOrigins, "query allowed");
    if (refused !== null) throw stop(`The provider's ${name} cannot be used: ${refused}`);
  }
  const offered = metadata.id_token_signing_alg_values_supported ?? ["RS256"];
  if (!offered.some((name) => signingAlgorithms.includes(name))) {
    throw stop("The provider signs ID tokens in no way that is accepted here.");
  }
  const methods = metadata.code_challenge_methods_supported;
  if (methods !== undefined && !methods.includes("S256")) throw stop("The provider does not know PKCE with S256.");
}

/**
 * The signature was verified with the provider's own keys. Refuses a header that names other keys, or another type of
 * token.
 */
export function refuseHeader(idToken: string): void {
  const header: unknown = JSON.parse(Buffer.from(idToken.split(".")[0] ?? "", "base64url").toString());
  const stop = (reason: string) => new Problem("sso_answer_refused", undefined, { more: { reason } });
  if (typeof header !== "object" || header === null) throw stop("The ID token has no header.");
  const { alg, typ } = header as { alg?: unknown; typ?: unknown };
  if (!signingAlgorithms.includes(String(alg))) throw stop("The ID token is signed in a way that is not accepted.");
  if (typ !== undefined && !/^(?:application\/)?jwt$/i.test(String(typ))) throw stop("The token is no ID token.");
  for (const name of ["jku", "x5u", "jwk"]) {
    if (Object.hasOwn(header, name)) throw stop("The ID token says where its own keys are.");
  }
}

/** How far the clocks of two machines may differ. */
export const skewSeconds = 60;

/** The library checks `exp` and `nbf`. A token or sign-in in the future would also stay valid for longer. */
export function refuseTimes({ iat, auth_time: authTime }: { iat?: unknown; auth_time?: unknown }, now: Date): void {
  const latest = now.getTime() / 1000 + skewSeconds;
  for (const time of [iat, authTime]) {
    if (typeof time !== "number" || time <= latest) continue;
    const more = { reason: "The ID token was issued, or the person signed in, at a time in the future." };
    throw new Problem("sso_answer_refused", undefined, { more });
  }
}
