import { type Endpoint, type Grant, memberOf, type Obtained, type SignInWork, textIn } from "../../sign-in.ts";
import { refusedToken } from "./token-refusals.ts";

/** Scopes, hosts and the token endpoint, for pasted credentials and for consent. */

export const readScope = "https://www.googleapis.com/auth/analytics.readonly";
export const editScope = "https://www.googleapis.com/auth/analytics.edit";
export const broadScope = "https://www.googleapis.com/auth/analytics";
/** Reports need the first, every change the second; we request both, and nothing broader. */
export const analyticsScopes = [readScope, editScope] as const;
/** Requested as well, so that a connection can show its account. */
export const identityScopes = ["openid", "email"];

const isLive = (endpoint: Endpoint): boolean => endpoint.instance === "live";
export const adminOf = (endpoint: Endpoint): string => endpoint.addresses.admin ?? "";
export const dataOf = (endpoint: Endpoint): string => endpoint.addresses.data ?? adminOf(endpoint);
export const tokenHost = (endpoint: Endpoint): string =>
  isLive(endpoint) ? "https://oauth2.googleapis.com" : adminOf(endpoint);
export const consentHost = (endpoint: Endpoint): string =>
  isLive(endpoint) ? "https://accounts.google.com" : adminOf(endpoint);
/** The audience of a service account's assertion. */
export const analyticsAudience = (endpoint: Endpoint): string => `${tokenHost(endpoint)}/token`;

/** `grant` is the one that is exchanged, for what a refusal says. */
export function* askToken(endpoint: Endpoint, form: Record<string, string>, grant?: Grant): SignInWork<Obtained> {
  const answer = yield { origin: tokenHost(endpoint), method: "POST", target: "/token", form };
  const token = textIn(answer.body, "access_token");
  if (answer.status >= 300 || token === undefined) throw refusedToken(answer, endpoint, grant);
  const life = Number(memberOf(answer.body, "expires_in"));
  const grantLife = Number(memberOf(answer.body, "refresh_token_expires_in"));
  const refreshToken = textIn(answer.body, "refresh_token");
  const scopes = textIn(answer.body, "scope");
  return {
    token,
    expiresInSeconds: Number.isFinite(life) ? Math.max(0, life) : 3600,
    ...(refreshToken && { refreshToken }),
    ...(grantLife > 0 ? { grantLifeSeconds: grantLife } : {}),
    scopes: scopes === undefined ? null : scopes.split(" ").filter(Boolean),
  };
}
