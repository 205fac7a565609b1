import { Problem } from "../../kernel/problem.ts";
import type { PrivateHost } from "../../transport/private-hosts.ts";
import type { DataKeys } from "../../vault/sealing/data-keys.ts";
import { beginSso, type SsoWish } from "./begin.ts";
import type { ResolveTxt } from "./domains.ts";
import { type Check, examineProvider } from "./examine-provider.ts";
import { finishOidc, finishSaml, takeSaml } from "./finish.ts";
import { createOidc } from "./oidc/oidc.ts";
import { oidcRedirectUri, type SsoContext, type SsoParts, secretFor } from "./parts.ts";
import { findProvider, type Provider } from "./providers.ts";
import { ownMetadata } from "./saml/metadata.ts";
import { acsUrl, ownEntityId } from "./saml/saml.ts";
import type { SsoOutcome, Visitor } from "./sign-in.ts";

export type { SsoWish } from "./begin.ts";
export type { SsoParts } from "./parts.ts";
export type { SsoOutcome, Visitor } from "./sign-in.ts";

/** Single sign-on of one region, as its pages and operations use it. */
export interface Sso {
  /** Where the browser goes, and what its cookie is to hold meanwhile. */
  begin(wish: SsoWish, visitor: Visitor): Promise<{ location: string; browser: string }>;
  /** The browser is back from an OpenID provider, with these parameters. */
  finishOidc(parameters: URLSearchParams, visitor: Visitor): Promise<SsoOutcome>;
  /** A SAML provider has sent the browser's form. Null: nobody had asked, so nothing was looked at. */
  takeSaml(providerId: string, form: URLSearchParams, visitor: Visitor): Promise<{ state: string } | null>;
  /** The browser comes for what the provider answered. */
  finishSaml(providerId: string, state: string, visitor: Visitor): Promise<SsoOutcome>;
  /** What a SAML provider is told about us. */
  metadataFor(providerId: string): Promise<string>;
  /** Where a person begins. */
  signInUrlOf(provider: Provider): string;
  addressesOf(provider: Provider): { redirect_uri: string } | { entity_id: string; acs_url: string };
  /** Asks the provider, and says what it finds. */
  examine(provider: Provider): Promise<Check[]>;
  keys: DataKeys;
  privateOrigins: readonly PrivateHost[];
  resolveTxt: ResolveTxt;
}

export function createSso(parts: SsoParts): Sso {
  const { store, keys, privateOrigins, resolveTxt, baseUrl, now } = parts;
  const room: SsoContext = { ...parts, oidc: createOidc(parts) };
  return {
    keys,
    privateOrigins,
    resolveTxt,
    begin: (wish, visitor) => beginSso(room, wish, visitor),
    finishOidc: (parameters, visitor) => finishOidc(room, parameters, visitor),
    takeSaml: (providerId, form, visitor) => takeSaml(room, providerId, form, visitor),
    finishSaml: (providerId, state, visitor) => finishSaml(room, providerId, state, visitor),
    async metadataFor(providerId) {
      const provider = await findProvider(store, providerId);
      if (provider?.settings.kind !== "saml") throw new Problem("provider_not_found");
      return ownMetadata(baseUrl, providerId);
    },
    signInUrlOf: (provider) => `${baseUrl}/sso/start?provider=${provider.id}`,
    addressesOf: (provider) =>
      provider.settings.kind === "oidc"
        ? { redirect_uri: oidcRedirectUri(parts) }
        : { entity_id: ownEntityId(baseUrl, provider.id), acs_url: acsUrl(baseUrl, provider.id) },
    examine: (provider) => examineProvider(provider, () => secretFor(room, provider), room.oidc, now()),
  };
}
