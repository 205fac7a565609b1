import type * as OpenId from "openid-client";
import { Problem } from "../../../kernel/problem.ts";
import type { Outbound } from "../../../transport/outbound.ts";
import type { PrivateHost } from "../../../transport/private-hosts.ts";
import type { Proof } from "../proof.ts";
import type { Provider } from "../providers.ts";
import { proofOf } from "./claims.ts";
import { createConfigurations, loadOpenId, oidcSettingsOf } from "./configurations.ts";
import { explainFailure, refuseHeader, refuseTimes } from "./rules.ts";

/** OpenID Connect: the code flow with PKCE, and an ID token whose signature is checked although it came by TLS. */

export interface OidcRequest {
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
    question: OidcRequest,
    more: { fresh: boolean; hint: string | null },
  ): Promise<string>;
  /** Exchanges the code that came back and checks the answer, or throws a Problem. */
  proofFrom(
    provider: Provider,
    secret: string | null,
    question: OidcRequest,
    parameters: URLSearchParams,
  ): Promise<Proof>;
  /** The provider's own description of itself, asked for anew. */
  discover(provider: Provider, secret: string | null): Promise<OpenId.ServerMetadata>;
}

export function createOidc(parts: {
  outbound: Outbound;
  privateOrigins: readonly PrivateHost[];
  now: () => Date;
}): Oidc {
  const { configurationOf, forget } = createConfigurations(parts);
  return {
    async addressFor(provider, secret, question, { fresh, hint }) {
      try {
        const openId = await loadOpenId();
        const configuration = await configurationOf(provider, secret);
        const address = openId.buildAuthorizationUrl(configuration, {
          redirect_uri: question.redirectUri,
          scope: oidcSettingsOf(provider).scopes.join(" "),
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
        const openId = await loadOpenId();
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
        refuseTimes(claims, parts.now());
        // The library looks at it only where there are several audiences.
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
