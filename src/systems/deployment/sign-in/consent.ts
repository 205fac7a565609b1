import { clientSettings } from "../../client-settings.ts";
import {
  type Consent,
  type Endpoint,
  type Grant,
  memberOf,
  notTheSystem,
  type Obtained,
  SignInFailed,
  type SignInWork,
  textIn,
} from "../../sign-in.ts";
import type { Answer } from "../../work.ts";

const mainOf = (endpoint: Endpoint): string => endpoint.addresses.main ?? "";

/** The vendor's installation flow: client, redirect address and scopes belong to the registration, not to the link. */
export const deploymentConsent: Consent = {
  client: {
    ...clientSettings("the integration at the deployment platform"),
    slug: {
      name: "INTEGRATION_SLUG",
      means: "The slug of that integration, as in `https://vercel.com/integrations/<slug>`.",
    },
  },

  url(endpoint, { state, redirectUri }) {
    const slug = encodeURIComponent(endpoint.client?.slug ?? "");
    const url = new URL(
      `/integrations/${slug}/new`,
      endpoint.instance === "live" ? "https://vercel.com" : mainOf(endpoint),
    );
    url.searchParams.set("state", state);
    // One sandbox serves every port; the vendor redirects only to the registered address.
    if (endpoint.instance !== "live") url.searchParams.set("redirect_uri", redirectUri);
    return url.href;
  },

  issuer: () => null,
  isFrom: (parameters) => parameters.has("configurationId"),
  isOwnPage: ({ protocol, hostname }) =>
    protocol === "https:" && (hostname === "vercel.com" || hostname.endsWith(".vercel.com")),

  *exchange(endpoint, { code, redirectUri }): SignInWork<{ grant: Grant; obtained: Obtained }> {
    const { client } = endpoint;
    if (!client) throw new Error("No client for the exchange of a code.");
    const answer = yield {
      origin: mainOf(endpoint),
      method: "POST",
      target: "/v2/oauth/access_token",
      form: { client_id: client.id, client_secret: client.secret, code, redirect_uri: redirectUri },
    };
    const token = textIn(answer.body, "access_token");
    if (answer.status >= 300 || token === undefined) throw refusedExchange(answer, endpoint);
    const installationId = textIn(answer.body, "installation_id");
    const teamId = textIn(answer.body, "team_id");
    const userId = textIn(answer.body, "user_id");
    return {
      grant: { kind: "access token", token, ...(installationId && { installationId }) },
      obtained: {
        token,
        expiresInSeconds: null,
        ...(installationId && { installationId }),
        ...(teamId && { teamId }),
        ...(userId && { userId }),
      },
    };
  },
};

function refusedExchange(answer: Answer, endpoint: Endpoint): SignInFailed {
  const error = textIn(answer.body, "error") ?? textIn(memberOf(answer.body, "error"), "code");
  const said = textIn(answer.body, "error_description") ?? error;
  if (error === undefined || answer.status >= 500) return notTheSystem(answer, endpoint, "The token endpoint");
  return new SignInFailed("invalid_credentials", `The system refuses the code: ${said}`, {
    remedy:
      error === "invalid_client"
        ? "The operator checks this region's client id and secret of the integration."
        : "Start again: a code works once, and for a short time.",
  });
}
