import type * as OpenId from "openid-client";
import { Problem } from "../../../kernel/problem.ts";
import type { Outbound } from "../../../transport/outbound.ts";
import type { PrivateHost } from "../../../transport/private-hosts.ts";
import type { Proof } from "../proof.ts";
import type { Provider } from "../providers.ts";
import { refuseHeader, refuseTimes } from "./check-id-token.ts";
import { proofOf } from "./claims.ts";
import { createConfigurations, loadOpenId, oidcSettingsOf } from "./configurations.ts";
import { explainFailure } from "./explain-failure.ts";

/** OpenID Connect: the code flow with PKCE. The signature of the ID token is verified, although it came over TLS. */

export interface OidcRequest {
  redirectUri: string;
  state: string;
  nonce: string;
  verifier: string;
}

export interface Oidc {
  /** The address to which the browser is sent. With `fresh`, the person has to authenticate again. */
  addressFor(
    provider: Provider,
    secret: string | null,
    request: OidcRequest,
    more: { fresh: boolean; hint: string | null },
  ): Promise<string>;
  /** Exchanges the code and verifies the response. Throws a Problem. */
  proofFrom(
    provider: Provider,
    secret: string | null,
    request: OidcRequest,
    parameters: URLSearchParams,
  ): Promise<Proof>;
  /** The provider's metadata, fetched again. */
  discover(provider: Provider, secret: string | null): Promise<OpenId.ServerMetadata>;
}

export function createOidc(ports: {
  outbound: Outbound;
  privateOrigins: readonly PrivateHost[];
  now: () => Date;
}): Oidc {
  const { configurationOf, forget } = createConfigurations(ports);
  return {
    async addressFor(provider, secret, request, { fresh, hint }) {
      try {
        const openId = await loadOpenId();
        const configuration = await configurationOf(provider, secret);
        const address = openId.buildAuthorizationUrl(configuration, {
          redirect_uri: request.redirectUri,
          scope: oidcSettingsOf(provider).scopes.join(" "),
          state: request.state,
          nonce: request.nonce,
          code_challenge: await openId.calculatePKCECodeChallenge(request.verifier),
          code_challenge_method: "S256",
          ...(fresh ? { prompt: "login", max_age: "0" } : {}),
          ...(hint === null ? {} : { login_hint: hint }),
        });
        return address.href;
      } catch (error) {
        throw explainFailure(error);
      }
    },
    async proofFrom(provider, secret, request, parameters) {
      try {
        const openId = await loadOpenId();
        const configuration = await configurationOf(provider, secret);
        const tokens = await openId.authorizationCodeGrant(
          configuration,
          new URL(`${request.redirectUri}?${parameters}`),
          {
            expectedState: request.state,
            expectedNonce: request.nonce,
            pkceCodeVerifier: request.verifier,
            idTokenExpected: true,
          },
        );
        refuseHeader(tokens.id_token ?? "");
        const claims = tokens.claims();
        if (!claims) throw new Problem("sso_answer_refused");
        refuseTimes(claims, ports.now());
        // The library checks `azp` only with several audiences.
        if (claims.azp !== undefined && claims.azp !== oidcSettingsOf(provider).clientId) throw ofAnother();
        const asked = claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
        const more = asked ? await openId.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
        return proofOf({ ...more, ...claims });
      } catch (error) {
        throw explainFailure(error);
      }
    },
    async discover(provider, secret) {
      forget(provider.id);
      return (await configurationOf(provider, secret)).serverMetadata();
    },
  };
}

const ofAnother = (): Problem =>
  new Problem("sso_answer_refused", undefined, { more: { reason: "The ID token was made for another client." } });
