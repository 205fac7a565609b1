import type { Log } from "../../kernel/log.ts";
import type { Outbound } from "../../transport/outbound.ts";
import type { PrivateHost } from "../../transport/private-hosts.ts";
import type { Compute } from "../../untrusted/compute.ts";
import type { DataKeys } from "../../vault/sealing/data-keys.ts";
import type { ResolveTxt } from "./domains.ts";
import type { Oidc, OidcRequest } from "./oidc/oidc.ts";
import type { SignInPorts } from "./open-sso-session.ts";
import { secretOf } from "./sign-in-flows.ts";

export interface SsoPorts extends SignInPorts {
  keys: DataKeys;
  outbound: Outbound;
  /** For input from providers and strangers. */
  compute: Compute;
  /** Origins in private networks that the operator allows. */
  privateOrigins: readonly PrivateHost[];
  baseUrl: string;
  resolveTxt: ResolveTxt;
  log: Log;
}

/** What beginning and finishing a sign-in share. */
export interface SsoContext extends SsoPorts {
  oidc: Oidc;
}

export const oidcRedirectUri = ({ baseUrl }: SsoPorts): string => `${baseUrl}/sso/oidc/callback`;

/** Derived again when the browser returns, so it is not stored. */
export const oidcRequestOf = (ports: SsoPorts, state: string, browser: string): OidcRequest => ({
  redirectUri: oidcRedirectUri(ports),
  state,
  nonce: secretOf("nonce", state, browser),
  verifier: secretOf("verifier", state, browser),
});
