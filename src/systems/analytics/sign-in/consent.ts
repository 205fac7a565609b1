import { clientSettings } from "../../client-settings.ts";
import { type Consent, type Grant, type Obtained, SignInFailed, type SignInWork } from "../../sign-in.ts";
import { analyticsScopes, askToken, broadScope, consentHost, editScope, identityScopes, readScope } from "./token.ts";

export const analyticsConsent: Consent = {
  client: clientSettings("the OAuth client at the analytics platform"),

  url(endpoint, { state, challenge, redirectUri, loginHint }) {
    const url = new URL("/o/oauth2/v2/auth", consentHost(endpoint));
    url.search = new URLSearchParams({
      client_id: endpoint.client?.id ?? "",
      redirect_uri: redirectUri,
      response_type: "code",
      scope: [...identityScopes, ...analyticsScopes].join(" "),
      state,
      // Without both of these a second connection would get no refresh token.
      access_type: "offline",
      prompt: "consent",
      code_challenge: challenge,
      code_challenge_method: "S256",
      ...(loginHint === undefined ? {} : { login_hint: loginHint }),
    }).toString();
    return url.href;
  },

  issuer: consentHost,
  isFrom: (parameters) => !parameters.has("configurationId"),

  *exchange(endpoint, { code, verifier, redirectUri }): SignInWork<{ grant: Grant; obtained: Obtained }> {
    const { client } = endpoint;
    if (!client) throw new Error("No client for the exchange of a code.");
    const obtained = yield* askToken(endpoint, {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      client_id: client.id,
      client_secret: client.secret,
      code_verifier: verifier,
    });
    const granted = obtained.scopes ?? [...analyticsScopes];
    if (!granted.some((scope) => scope === broadScope || scope === readScope || scope === editScope)) {
      throw new SignInFailed("missing_permissions", "None of the analytics permissions was granted.", {
        remedy: "Connect again and leave the boxes of the consent page ticked.",
      });
    }
    if (obtained.refreshToken === undefined) {
      throw new SignInFailed(
        "invalid_credentials",
        "The system gave no refresh token, so the connection would end within the hour.",
        {
          remedy: "Remove this application at the system (third-party access of the account), then connect again.",
        },
      );
    }
    const { refreshToken, ...rest } = obtained;
    return { grant: { kind: "refresh token", refreshToken, fromConsent: true }, obtained: rest };
  },
};
