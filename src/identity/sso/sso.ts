import { Problem } from "../../kernel/problem.ts";
import type { PrivateHost } from "../../transport/private-hosts.ts";
import type { DataKeys } from "../../vault/sealing/data-keys.ts";
import { beginSso, type SsoWish } from "./begin-sso.ts";
import { oidcRedirectUri, type SsoContext, type SsoPorts } from "./context.ts";
import type { ResolveTxt } from "./domains.ts";
import { type Check, examineProvider } from "./examine-provider.ts";
import { finishOidc, finishSaml, takeSaml } from "./finish-sso.ts";
import { createOidc } from "./oidc/oidc.ts";
import type { SsoCaller, SsoOutcome } from "./open-sso-session.ts";
import { findProvider, openClientSecret, type Provider } from "./providers.ts";
import { ownMetadata } from "./saml/metadata.ts";
import { acsUrl, ownEntityId } from "./saml/saml.ts";

export type { SsoWish } from "./begin-sso.ts";
export type { SsoPorts } from "./context.ts";
export type { SsoCaller, SsoOutcome } from "./open-sso-session.ts";

/** Single sign-on of one region, for its pages and operations. */
export interface Sso {
  /** Returns where to send the browser, and the value of its cookie. */
  begin(wish: SsoWish, caller: SsoCaller): Promise<{ location: string; browser: string }>;
  /** Completes a sign-in when the browser returns from an OpenID provider with these parameters. */
  finishOidc(parameters: URLSearchParams, caller: SsoCaller): Promise<SsoOutcome>;
  /** Accepts a SAML response from a form post. Returns null for an unsolicited response, without reading it. */
  takeSaml(providerId: string, form: URLSearchParams, caller: SsoCaller): Promise<{ state: string } | null>;
  /** Completes a SAML sign-in when the browser fetches the result. */
  finishSaml(providerId: string, state: string, caller: SsoCaller): Promise<SsoOutcome>;
  /** Our SAML metadata for a provider. */
  metadataFor(providerId: string): Promise<string>;
  /** The address where a person begins to sign in. */
  signInUrlOf(provider: Provider): string;
  addressesOf(provider: Provider): { redirect_uri: string } | { entity_id: string; acs_url: string };
  /** Tests the provider and returns the result of each check. */
  examine(provider: Provider): Promise<Check[]>;
  keys: DataKeys;
  privateOrigins: readonly PrivateHost[];
  resolveTxt: ResolveTxt;
}

export function createSso(ports: SsoPorts): Sso {
  const { store, keys, privateOrigins, resolveTxt, baseUrl, now } = ports;
  const context: SsoContext = { ...ports, oidc: createOidc(ports) };
  return {
    keys,
    privateOrigins,
    resolveTxt,
    begin: (wish, caller) => beginSso(context, wish, caller),
    finishOidc: (parameters, caller) => finishOidc(context, parameters, caller),
    takeSaml: (providerId, form, caller) => takeSaml(context, providerId, form, caller),
    finishSaml: (providerId, state, caller) => finishSaml(context, providerId, state, caller),
    async metadataFor(providerId) {
      const provider = await findProvider(store, providerId);
      if (provider?.settings.kind !== "saml") throw new Problem("provider_not_found");
      return ownMetadata(baseUrl, providerId);
    },
    signInUrlOf: (provider) => `${baseUrl}/sso/start?provider=${provider.id}`,
    addressesOf: (provider) =>
      provider.settings.kind === "oidc"
        ? { redirect_uri: oidcRedirectUri(ports) }
        : { entity_id: ownEntityId(baseUrl, provider.id), acs_url: acsUrl(baseUrl, provider.id) },
    examine: (provider) => examineProvider(provider, () => openClientSecret(context, provider), context.oidc, now()),
  };
}
