import type * as OpenId from "openid-client";
import { type Outbound, onBehalfOf } from "../../../transport/outbound.ts";
import { originsOpenTo, type PrivateHost } from "../../../transport/private-hosts.ts";
import type { OidcSettings } from "../provider-settings.ts";
import type { Provider } from "../providers.ts";
import { refuseMetadata, signingAlgorithms, skewSeconds } from "./check-id-token.ts";
import { fetchThrough } from "./provider-fetch.ts";

const cacheMilliseconds = 10 * 60_000;
const cacheMax = 200;
const timeoutSeconds = 10;

/** Loads the library with the first sign-in: most processes never need it. */
export const loadOpenId = (): Promise<typeof OpenId> => import("openid-client");

interface CachedConfiguration {
  version: string;
  until: number;
  configuration: Promise<OpenId.Configuration>;
}

/** The configurations of OpenID providers, checked before use. */
export function createConfigurations(ports: { outbound: Outbound; privateOrigins: readonly PrivateHost[] }): {
  configurationOf(provider: Provider, secret: string | null): Promise<OpenId.Configuration>;
  forget(providerId: string): void;
} {
  const { privateOrigins } = ports;
  const cache = new Map<string, CachedConfiguration>();

  /** Cached for some minutes. A change of the provider, or a failure, fetches it again. */
  function configurationOf(provider: Provider, secret: string | null): Promise<OpenId.Configuration> {
    const version = `${provider.updatedAt} ${provider.sealed ?? ""}`;
    const known = cache.get(provider.id);
    if (known && known.version === version && known.until > performance.now()) return known.configuration;
    const [oldest] = cache.keys();
    if (cache.size >= cacheMax && oldest !== undefined) cache.delete(oldest);
    const configuration = configure(provider, secret);
    cache.set(provider.id, { version, until: performance.now() + cacheMilliseconds, configuration });
    // The caller gets the failure; only the cache forgets it.
    configuration.catch(() => cache.delete(provider.id));
    return configuration;
  }

  async function configure(provider: Provider, secret: string | null): Promise<OpenId.Configuration> {
    const { issuer, clientId } = oidcSettingsOf(provider);
    const { organizationId } = provider;
    const fetch = fetchThrough(onBehalfOf({ organizationId }, ports.outbound));
    const openId = await loadOpenId();
    const execute = issuer.startsWith("http:") ? [openId.allowInsecureRequests] : [];
    const options = { [openId.customFetch]: fetch, timeout: timeoutSeconds, execute };
    const found = await openId.discovery(new URL(issuer), clientId, undefined, openId.None(), options);
    const metadata = found.serverMetadata();
    refuseMetadata(metadata, issuer, originsOpenTo(privateOrigins, organizationId));
    const offered = metadata.id_token_signing_alg_values_supported ?? ["RS256"];
    // The provider may offer other algorithms for other clients. `none` and shared secrets in particular are not
    // accepted here.
    const trusted: OpenId.ServerMetadata = {
      ...(metadata as OpenId.ServerMetadata),
      id_token_signing_alg_values_supported: offered.filter((name) => signingAlgorithms.includes(name)),
    };
    const configuration = new openId.Configuration(
      trusted,
      clientId,
      { [openId.clockTolerance]: skewSeconds },
      clientAuthentication(openId, metadata, secret),
    );
    configuration[openId.customFetch] = fetch;
    configuration.timeout = timeoutSeconds;
    openId.enableNonRepudiationChecks(configuration);
    for (const extension of execute) extension(configuration);
    return configuration;
  }

  return { configurationOf, forget: (providerId) => void cache.delete(providerId) };
}

export function oidcSettingsOf({ settings }: Provider): OidcSettings {
  if (settings.kind !== "oidc") throw new Error("This provider does not speak OpenID Connect.");
  return settings;
}

/** The method that the provider supports; the standard's default if it names none. */
function clientAuthentication(openId: typeof OpenId, metadata: OpenId.ServerMetadata, secret: string | null) {
  if (secret === null) return openId.None();
  const offered = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return offered.includes("client_secret_post") ? openId.ClientSecretPost(secret) : openId.ClientSecretBasic(secret);
}
