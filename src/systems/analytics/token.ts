import {
  type Endpoint,
  memberOf,
  notTheSystem,
  type Obtained,
  SignInFailed,
  type SignInWork,
  textIn,
} from "../sign-in.ts";
import type { Answer } from "../work.ts";

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
export const tokenHost = (endpoint: Endpoint): string =>
  isLive(endpoint) ? "https://oauth2.googleapis.com" : adminOf(endpoint);
export const consentHost = (endpoint: Endpoint): string =>
  isLive(endpoint) ? "https://accounts.google.com" : adminOf(endpoint);
/** The audience of a service account's assertion. */
export const analyticsAudience = (endpoint: Endpoint): string => `${tokenHost(endpoint)}/token`;

export function* askToken(endpoint: Endpoint, form: Record<string, string>): SignInWork<Obtained> {
  const answer = yield { origin: tokenHost(endpoint), method: "POST", target: "/token", form };
  return readTokenAnswer(answer, endpoint);
}

function readTokenAnswer(answer: Answer, endpoint: Endpoint): Obtained {
  const token = textIn(answer.body, "access_token");
  if (answer.status >= 300 || token === undefined) throw refusedToken(answer, endpoint);
  const life = Number(memberOf(answer.body, "expires_in"));
  const refreshToken = textIn(answer.body, "refresh_token");
  const scopes = textIn(answer.body, "scope");
  return {
    token,
    expiresInSeconds: Number.isFinite(life) ? Math.max(0, life) : 3600,
    ...(refreshToken && { refreshToken }),
    scopes: scopes === undefined ? null : scopes.split(" ").filter(Boolean),
  };
}

function refusedToken(answer: Answer, endpoint: Endpoint): SignInFailed {
  const error = textIn(answer.body, "error");
  if (error === undefined || answer.status >= 500 || answer.status === 429) {
    return notTheSystem(answer, endpoint, "The token endpoint");
  }
  const said = textIn(answer.body, "error_description") ?? error;
  // An assertion that is too old or too new indicates a wrong clock, not a wrong grant.
  if (error === "invalid_grant" && /\biat\b/.test(said)) {
    return new SignInFailed("invalid_credentials", `The system refuses the time of the request: ${said}`, {
      remedy: "Set the clock of the machine that Signalbox runs on.",
    });
  }
  if (error === "invalid_grant") {
    const again = textIn(answer.body, "error_subtype") === "invalid_rapt" ? " Its owner must sign in anew." : "";
    return new SignInFailed("invalid_credentials", `The grant is not valid any longer: ${said}${again}`, {
      isGrantLost: true,
      remedy: "Connect the account again; the grant was withdrawn, expired, or never valid.",
    });
  }
  return new SignInFailed("invalid_credentials", `The system refuses the sign-in: ${said} (${error}).`, {
    remedy: "Check client id and client secret, or the service account's key.",
  });
}
