import { Problem } from "../kernel/problem.ts";
import type { PrivateHost } from "../transport/private-hosts.ts";
import type { DataKeys } from "../vault/data-keys.ts";
import type { ResolveTxt } from "./domains.ts";
import { createOidc } from "./oidc.ts";
import { acsUrl, ownEntityId } from "./saml.ts";
import { ownMetadata } from "./saml-metadata.ts";
import { beginSso, type SsoWish } from "./sso-begin.ts";
import { type Check, examineProvider } from "./sso-examine.ts";
import { finishOidc, finishSaml, takeSaml } from "./sso-finish.ts";
import { findProvider, type Provider } from "./sso-providers.ts";
import { oidcRedirectUri, type SsoParts, type SsoRoom, secretFor } from "./sso-room.ts";
import type { SsoEnd, Visitor } from "./sso-sign-in.ts";

export type { SsoWish } from "./sso-begin.ts";
export type { SsoParts } from "./sso-room.ts";
export type { SsoEnd, Visitor } from "./sso-sign-in.ts";

/** Single sign-on of one region, as its pages and operations use it. */
export interface Sso {
  /** Where the browser goes, and what its cookie is to hold meanwhile. */
  begin(wish: SsoWish, visitor: Visitor): Promise<{ location: string; browser: string }>;
  /** The browser is back from an OpenID provider, with these parameters. */
  finishOidc(parameters: URLSearchParams, visitor: Visitor): Promise<SsoEnd>;
  /** A SAML provider has sent the browser's form. Null: nobody had asked, so nothing was looked at. */
  takeSaml(providerId: string, form: URLSearchParams, visitor: Visitor): Promise<{ state: string } | null>;
  /** The browser comes for what the provider answered. */
  finishSaml(providerId: string, state: string, visitor: Visitor): Promise<SsoEnd>;
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
  const room: SsoRoom = { ...parts, oidc: createOidc(parts) };
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
