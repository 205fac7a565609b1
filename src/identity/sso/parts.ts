import type { Log } from "../../kernel/log.ts";
import type { Outbound } from "../../transport/outbound.ts";
import type { PrivateHost } from "../../transport/private-hosts.ts";
import type { Compute } from "../../untrusted/compute.ts";
import type { DataKeys } from "../../vault/sealing/data-keys.ts";
import type { ResolveTxt } from "./domains.ts";
import { secretOf } from "./flows.ts";
import type { Oidc, OidcRequest } from "./oidc/oidc.ts";
import { openClientSecret, type Provider } from "./providers.ts";
import type { SignInPorts } from "./sign-in.ts";

export interface SsoParts extends SignInPorts {
  keys: DataKeys;
  outbound: Outbound;
  /** For what providers and strangers send. */
  compute: Compute;
  /** Origins in private networks that the operator allows. */
  privateOrigins: readonly PrivateHost[];
  baseUrl: string;
  resolveTxt: ResolveTxt;
  log: Log;
}

/** What both halves of a sign-in work with: the way there, and the way back. */
export interface SsoContext extends SsoParts {
  oidc: Oidc;
}

export const oidcRedirectUri = ({ baseUrl }: SsoParts): string => `${baseUrl}/sso/oidc/callback`;

export const secretFor = ({ store, keys }: SsoParts, provider: Provider): Promise<string | null> =>
  openClientSecret(store, provider, keys);

/** The same on the way there and on the way back, and kept nowhere in between. */
export const oidcRequestOf = (parts: SsoParts, state: string, browser: string): OidcRequest => ({
  redirectUri: oidcRedirectUri(parts),
  state,
  nonce: secretOf("nonce", state, browser),
  verifier: secretOf("verifier", state, browser),
});
