import type { Identity } from "../../account.ts";
import {
  type Endpoint,
  type Grant,
  type Obtained,
  type SignIn,
  SignInFailed,
  type SignInWork,
  textIn,
  type Who,
} from "../../sign-in.ts";
import { analyticsConsent } from "./consent.ts";
import { analyticsCredentials } from "./credentials.ts";
import { levelOf, readReach, requireReports } from "./reach.ts";
import { lackOf, refuseOutOfReach, refuseUnreadable } from "./refused-read.ts";
import { analyticsAudience, analyticsScopes, askToken, editScope, tokenHost } from "./token.ts";

const propertiesShownMax = 50;

export const analyticsSignIn: SignIn = {
  live: { data: "https://analyticsdata.googleapis.com", admin: "https://analyticsadmin.googleapis.com" },
  apis: ["data", "admin"],
  credentials: analyticsCredentials,
  consent: analyticsConsent,
  assertion: (endpoint) => ({ audience: analyticsAudience(endpoint), scopes: analyticsScopes }),

  *obtain(grant, endpoint, assertion): SignInWork<Obtained> {
    if (grant.kind === "access token") return { token: grant.token, expiresInSeconds: null };
    return yield* askToken(endpoint, formOf(grant, endpoint, assertion), grant);
  },

  *identify(token, endpoint, { obtained, knownLevel }): SignInWork<Who> {
    const facts = yield* readTokenFacts(token, endpoint);
    const scopes = facts.scopes ?? obtained.scopes ?? [];
    const email = facts.email ?? obtained.email;
    refuseUnreadable(scopes);
    const reach = yield* readReach(token, endpoint);
    refuseOutOfReach(reach, email);
    yield* requireReports(token, endpoint);
    const mayEdit = scopes.length === 0 || scopes.includes(editScope);
    const isKnown = reach.canEdit && (knownLevel === "administrator" || knownLevel === "editor");
    const accessLevel =
      !mayEdit && reach.properties.length > 0
        ? "viewer"
        : isKnown
          ? knownLevel
          : yield* levelOf(token, endpoint, reach);
    const { grantEndsAt } = obtained;
    const identity: Identity = {
      label: email ?? reach.accountName ?? "analytics account",
      ...(email && { email }),
      ...(facts.subject && { user_id: facts.subject }),
      properties: reach.properties.slice(0, propertiesShownMax),
      properties_total: reach.properties.length,
      ...(grantEndsAt && { sign_in_ends_at: grantEndsAt }),
    };
    return { identity, accessLevel, scopes, lacks: lackOf(scopes, reach, grantEndsAt) };
  },

  // "Revoking one token ends all grants of that person for our client." A pasted token has a client of its own.
  sharedGrant(grant, { user_id, email }) {
    const person = user_id ?? email;
    if (grant.kind !== "refresh token" || person === undefined) return null;
    return `${grant.fromConsent ? "ours" : (grant.clientId ?? "ours")} ${person}`;
  },

  revoke(grant, token, endpoint) {
    const value = grant.kind === "refresh token" ? grant.refreshToken : grant.kind === "access token" ? token : null;
    return value === null ? null : revokeToken(value, endpoint);
  },
};

function formOf(grant: Grant, endpoint: Endpoint, assertion: string | undefined): Record<string, string> {
  if (grant.kind === "service account") {
    return { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: assertion ?? "" };
  }
  if (grant.kind !== "refresh token") throw new Error(`An analytics account has no ${grant.kind}.`);
  const id = grant.clientId ?? endpoint.client?.id;
  const secret = grant.clientId === undefined ? endpoint.client?.secret : grant.clientSecret;
  if (id === undefined) {
    throw new SignInFailed(
      "invalid_credentials",
      "The refresh token belongs to an OAuth client that is not set here.",
      {
        remedy:
          "Give `client_id` and `client_secret` with the refresh token, or let the operator set this region's client.",
      },
    );
  }
  return {
    grant_type: "refresh_token",
    refresh_token: grant.refreshToken,
    client_id: id,
    ...(secret === undefined ? {} : { client_secret: secret }),
  };
}

function* readTokenFacts(
  token: string,
  endpoint: Endpoint,
): SignInWork<{ scopes: string[] | null; email?: string; subject?: string }> {
  const answer = yield {
    origin: tokenHost(endpoint),
    method: "POST",
    target: "/tokeninfo",
    form: { access_token: token },
  };
  if (textIn(answer.body, "error") === "invalid_token") {
    throw new SignInFailed("invalid_credentials", "The system does not know the token, or it has ended.", {
      isGrantLost: true,
    });
  }
  const [scope, email, subject] = ["scope", "email", "sub"].map((name) => textIn(answer.body, name));
  return { scopes: scope?.split(" ") ?? null, ...(email && { email }), ...(subject && { subject }) };
}

function* revokeToken(token: string, endpoint: Endpoint): SignInWork<void> {
  const answer = yield { origin: tokenHost(endpoint), method: "POST", target: "/revoke", form: { token } };
  // A token that was already invalid gets 400.
  if (answer.status >= 300 && answer.status !== 400) {
    throw new SignInFailed("unreachable", `It returned status ${answer.status}.`);
  }
}
