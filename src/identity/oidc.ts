import type * as OpenId from "openid-client";
import { readEmail } from "../access/email.ts";
import { Problem } from "../kernel/problem.ts";
import type { Outbound } from "../transport/outbound.ts";
import { nameIn, type Proof } from "./identities.ts";
import { fetchThrough } from "./oidc-fetch.ts";
import { explainFailure, refuseHeader, refuseMetadata, signingAlgorithms } from "./oidc-rules.ts";
import type { Provider } from "./sso-providers.ts";
import type { OidcSettings } from "./sso-settings.ts";

/** OpenID Connect: the code flow with PKCE, and an ID token whose signature is checked although it came by TLS. */

const clockToleranceSeconds = 60;
const keepMilliseconds = 10 * 60_000;
const keptMax = 200;
const timeoutSeconds = 10;
const subjectCharactersMax = 255;

export interface OidcQuestion {
  redirectUri: string;
  state: string;
  nonce: string;
  verifier: string;
}

export interface Oidc {
  /** Where the browser is sent. `fresh`: the person is to prove anew who they are. */
  addressFor(
    provider: Provider,
    secret: string | null,
    question: OidcQuestion,
    more: { fresh: boolean; hint: string | null },
  ): Promise<string>;
  /** Exchanges the code that came back and checks the answer, or throws a Problem. */
  proofFrom(
    provider: Provider,
    secret: string | null,
    question: OidcQuestion,
    parameters: URLSearchParams,
  ): Promise<Proof>;
  /** The provider's own description of itself, asked for anew. */
  discover(provider: Provider, secret: string | null): Promise<OpenId.ServerMetadata>;
}

interface Kept {
  version: string;
  until: number;
  configuration: Promise<OpenId.Configuration>;
}

export function createOidc(parts: { outbound: Outbound; privateOrigins: readonly string[] }): Oidc {
  const { privateOrigins } = parts;
  const fetch = fetchThrough(parts.outbound);
  const kept = new Map<string, Kept>();

  /** Asked once for all who sign in within some minutes; a change of the provider, or a failure, asks anew. */
  function configurationOf(provider: Provider, secret: string | null): Promise<OpenId.Configuration> {
    const version = `${provider.updatedAt} ${provider.sealed ?? ""}`;
    const known = kept.get(provider.id);
    if (known && known.version === version && known.until > performance.now()) return known.configuration;
    if (kept.size >= keptMax) kept.clear();
    const configuration = configure(provider, secret);
    kept.set(provider.id, { version, until: performance.now() + keepMilliseconds, configuration });
    configuration.catch(() => kept.delete(provider.id));
    return configuration;
  }

  async function configure(provider: Provider, secret: string | null): Promise<OpenId.Configuration> {
    const { issuer, clientId } = settingsOf(provider);
    const openId = await load();
    const execute = issuer.startsWith("http:") ? [openId.allowInsecureRequests] : [];
    const options = { [openId.customFetch]: fetch, timeout: timeoutSeconds, execute };
    const found = await openId.discovery(new URL(issuer), clientId, undefined, openId.None(), options);
    const metadata = found.serverMetadata();
    refuseMetadata(metadata, issuer, privateOrigins);
    const offered = metadata.id_token_signing_alg_values_supported ?? ["RS256"];
    // What the provider offers beside these it may use for others, never for us: `none` and shared secrets above all.
    const trusted: OpenId.ServerMetadata = {
      ...(metadata as OpenId.ServerMetadata),
      id_token_signing_alg_values_supported: offered.filter((name) => signingAlgorithms.includes(name)),
    };
    const configuration = new openId.Configuration(
      trusted,
      clientId,
      { [openId.clockTolerance]: clockToleranceSeconds },
      clientAuthentication(openId, metadata, secret),
    );
    configuration[openId.customFetch] = fetch;
    configuration.timeout = timeoutSeconds;
    openId.enableNonRepudiationChecks(configuration);
    for (const extension of execute) extension(configuration);
    return configuration;
  }

  return {
    async addressFor(provider, secret, question, { fresh, hint }) {
      try {
        const openId = await load();
        const configuration = await configurationOf(provider, secret);
        const address = openId.buildAuthorizationUrl(configuration, {
          redirect_uri: question.redirectUri,
          scope: settingsOf(provider).scopes.join(" "),
          state: question.state,
          nonce: question.nonce,
          code_challenge: await openId.calculatePKCECodeChallenge(question.verifier),
          code_challenge_method: "S256",
          ...(fresh ? { prompt: "login", max_age: "0" } : {}),
          ...(hint === null ? {} : { login_hint: hint }),
        });
        return address.href;
      } catch (error) {
        throw explainFailure(error);
      }
    },
    async proofFrom(provider, secret, question, parameters) {
      try {
        const openId = await load();
        const configuration = await configurationOf(provider, secret);
        const tokens = await openId.authorizationCodeGrant(
          configuration,
          new URL(`${question.redirectUri}?${parameters}`),
          {
            expectedState: question.state,
            expectedNonce: question.nonce,
            pkceCodeVerifier: question.verifier,
            idTokenExpected: true,
          },
        );
        refuseHeader(tokens.id_token ?? "");
        const claims = tokens.claims();
        if (!claims) throw new Problem("sso_answer_refused");
        // The library looks at it only where there are several audiences.
        if (claims.azp !== undefined && claims.azp !== settingsOf(provider).clientId) throw ofAnother();
        const asked = claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
        const more = asked ? await openId.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
        return toProof({ ...more, ...claims });
      } catch (error) {
        throw explainFailure(error);
      }
    },
    async discover(provider, secret) {
      kept.delete(provider.id);
      return (await configurationOf(provider, secret)).serverMetadata();
    },
  };
}

/** Loaded when the first person signs in: most processes never need it. */
const load = (): Promise<typeof OpenId> => import("openid-client");

const ofAnother = (): Problem =>
  new Problem("sso_answer_refused", undefined, { more: { reason: "The ID token was made for another client." } });

function settingsOf({ settings }: Provider): OidcSettings {
  if (settings.kind !== "oidc") throw new Error("This provider does not speak OpenID Connect.");
  return settings;
}

/** As the provider takes it; what it does not say is what the standard says. */
function clientAuthentication(openId: typeof OpenId, metadata: OpenId.ServerMetadata, secret: string | null) {
  if (secret === null) return openId.None();
  const offered = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return offered.includes("client_secret_post") ? openId.ClientSecretPost(secret) : openId.ClientSecretBasic(secret);
}

function toProof(claims: Readonly<Record<string, unknown>>): Proof {
  const text = (name: string): string | null => {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
    return typeof value === "string" && value !== "" && value.length <= subjectCharactersMax ? value : null;
  };
  const subject = text("sub");
  if (subject === null) throw new Problem("sso_answer_refused", "The identity provider gave no usable subject.");
  const email = readEmail(text("email") ?? "");
  const isChecked = ![false, "false", 0, "0"].includes(claims.email_verified as never);
  const isOwned = ![false, "false", 0, "0"].includes(claims.xms_edov as never);
  const isProven = claims.email_verified === true || claims.email_verified === "true";
  const names = [text("preferred_username"), text("upn"), isProven ? text("email") : null];
  const authTime = claims.auth_time;
  return {
    subject,
    email,
    emailChecked: isChecked && isOwned,
    name: nameIn(text("name")),
    externalIds: [subject, text("oid")].filter((each) => each !== null),
    userNames: names.filter((each) => each !== null).map((each) => each.toLowerCase()),
    authenticatedAt: typeof authTime === "number" && authTime < 1e11 ? new Date(authTime * 1000).toISOString() : null,
  };
}
