import type * as OpenId from "openid-client";
import { type Outbound, onBehalfOf } from "../../../transport/outbound.ts";
import { originsOpenTo, type PrivateHost } from "../../../transport/private-hosts.ts";
import type { OidcSettings } from "../provider-settings.ts";
import type { Provider } from "../providers.ts";
import { fetchThrough } from "./fetch.ts";
import { refuseMetadata, signingAlgorithms, skewSeconds } from "./rules.ts";

const keepMilliseconds = 10 * 60_000;
const keptMax = 200;
const timeoutSeconds = 10;

/** Loaded when the first person signs in: most processes never need it. */
export const loadOpenId = (): Promise<typeof OpenId> => import("openid-client");

interface Kept {
  version: string;
  until: number;
  configuration: Promise<OpenId.Configuration>;
}

/** What OpenID providers say about themselves, asked for and looked at before anything of it is used. */
export function createConfigurations(parts: { outbound: Outbound; privateOrigins: readonly PrivateHost[] }): {
  configurationOf(provider: Provider, secret: string | null): Promise<OpenId.Configuration>;
  forget(providerId: string): void;
} {
  const { privateOrigins } = parts;
  const kept = new Map<string, Kept>();

  /** Asked once for all who sign in within some minutes; a change of the provider, or a failure, asks anew. */
  function configurationOf(provider: Provider, secret: string | null): Promise<OpenId.Configuration> {
    const version = `${provider.updatedAt} ${provider.sealed ?? ""}`;
    const known = kept.get(provider.id);
    if (known && known.version === version && known.until > performance.now()) return known.configuration;
    const [oldest] = kept.keys();
    if (kept.size >= keptMax && oldest !== undefined) kept.delete(oldest);
    const configuration = configure(provider, secret);
    kept.set(provider.id, { version, until: performance.now() + keepMilliseconds, configuration });
    configuration.catch(() => kept.delete(provider.id));
    return configuration;
  }

  async function configure(provider: Provider, secret: string | null): Promise<OpenId.Configuration> {
    const { issuer, clientId } = oidcSettingsOf(provider);
    const { organizationId } = provider;
    const fetch = fetchThrough(onBehalfOf({ organizationId }, parts.outbound));
    const openId = await loadOpenId();
    const execute = issuer.startsWith("http:") ? [openId.allowInsecureRequests] : [];
    const options = { [openId.customFetch]: fetch, timeout: timeoutSeconds, execute };
    const found = await openId.discovery(new URL(issuer), clientId, undefined, openId.None(), options);
    const metadata = found.serverMetadata();
    refuseMetadata(metadata, issuer, originsOpenTo(privateOrigins, organizationId));
    const offered = metadata.id_token_signing_alg_values_supported ?? ["RS256"];
    // What the provider offers beside these it may use for others, never for us: `none` and shared secrets above all.
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

  return { configurationOf, forget: (providerId) => void kept.delete(providerId) };
}

export function oidcSettingsOf({ settings }: Provider): OidcSettings {
  if (settings.kind !== "oidc") throw new Error("This provider does not speak OpenID Connect.");
  return settings;
}

/** As the provider takes it; what it does not say is what the standard says. */
function clientAuthentication(openId: typeof OpenId, metadata: OpenId.ServerMetadata, secret: string | null) {
  if (secret === null) return openId.None();
  const offered = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return offered.includes("client_secret_post") ? openId.ClientSecretPost(secret) : openId.ClientSecretBasic(secret);
}
