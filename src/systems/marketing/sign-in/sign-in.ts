import {
  type Endpoint,
  isObject,
  memberOf,
  notTheSystem,
  type Obtained,
  type SignIn,
  SignInFailed,
  type SignInRequest,
  type SignInWork,
  textIn,
  type Who,
} from "../../sign-in.ts";
import type { Answer } from "../../work.ts";
import { marketingCredentials } from "./credentials.ts";
import { ownAddress } from "./own-address.ts";

const askAgainMax = 3;

/**
 * One cheap call per kind of permission. An API user who may do one of them is useful; one who may do none has a role
 * without API permissions, or calls from an address that is not allowed.
 */
const probes = [
  "/rest/v1/lists.json?batchSize=1",
  "/rest/asset/v1/programs.json?maxReturn=1",
  "/rest/v1/activities/types.json",
  "/rest/v1/campaigns.json?batchSize=1",
];

/** An API-only user's custom service: two-legged OAuth, without a consent page. */
export const marketingSignIn: SignIn = {
  apis: ["main"],
  live: null,
  ownAddress,
  credentials: marketingCredentials,

  *obtain(grant, endpoint): SignInWork<Obtained> {
    if (grant.kind !== "client credentials") throw new Error("A marketing account has client credentials.");
    const parameters = {
      grant_type: "client_credentials",
      client_id: grant.clientId,
      client_secret: grant.clientSecret,
    };
    for (let attempt = 1; ; attempt++) {
      const obtained = yield* askToken(endpoint, parameters);
      if (obtained.expiresInSeconds !== 0 || attempt === askAgainMax) return obtained;
      // `expires_in` is what is left: this token expires now, and the next one is a second away.
      yield { pauseSeconds: 1, why: "the returned token is about to expire" };
    }
  },

  *identify(token, endpoint, { obtained }): SignInWork<Who> {
    const origin = endpoint.addresses.main ?? "";
    const instance = new URL(origin).host;
    let denied: string | null = null;
    for (const target of probes) {
      const answer: Answer = yield { origin, method: "GET", target, bearer: token };
      const code = errorCode(answer);
      if (code === "603") {
        denied = textIn(firstError(answer), "message") ?? "Access denied";
        continue;
      }
      if (code === "601" || code === "602") {
        throw new SignInFailed("invalid_credentials", `The system does not take its own token (${code}).`, {
          isGrantLost: true,
        });
      }
      if (!isObject(answer.body)) throw notTheSystem(answer, endpoint, "The REST API");
      yield* readUsage(origin, token);
      const email = obtained.email;
      const identity = { label: email ? `${email} at ${instance}` : instance, instance, ...(email ? { email } : {}) };
      return { identity, accessLevel: null, scopes: [], lacks: null };
    }
    throw new SignInFailed(
      "missing_permissions",
      `The credentials are right, and the API user may do nothing (603: ${denied}).`,
      {
        remedy:
          "Give the API-only user a role with API permissions (such as Read-Write Lead), and allow this server's address if the instance has an IP allow-list.",
      },
    );
  },

  // The vendor has no such call: tokens expire by themselves, and the service is deleted in the admin screens.
  revoke: () => null,
};

/** What all tools have used today. A check counts it; if the system does not say it, our own count is all there is. */
function* readUsage(origin: string, token: string): SignInWork<void> {
  try {
    yield { origin, method: "GET", target: "/rest/v1/stats/usage.json", bearer: token };
  } catch (error) {
    if (!(error instanceof SignInFailed)) throw error;
  }
}

function* askToken(endpoint: Endpoint, parameters: Record<string, string>): SignInWork<Obtained> {
  const origin = endpoint.addresses.main ?? "";
  const target = "/identity/oauth/token";
  let answer: Answer = yield { origin, method: "POST", target, form: parameters };
  // Only the query is documented; the form keeps the secret out of addresses, and so is tried first.
  if (wasNotRead(answer)) answer = yield queryForm(origin, target, parameters);
  const error = textIn(answer.body, "error");
  if (error === "invalid_client" || error === "unauthorized" || (error !== undefined && answer.status === 401)) {
    const said = textIn(answer.body, "error_description") ?? error;
    throw new SignInFailed("invalid_credentials", `The system refuses the client id or secret: ${said}.`, {
      isGrantLost: true,
    });
  }
  const token = textIn(answer.body, "access_token");
  if (token === undefined) throw notTheSystem(answer, endpoint, "The identity service");
  const life = Number(memberOf(answer.body, "expires_in"));
  const email = textIn(answer.body, "scope");
  return { token, expiresInSeconds: Number.isFinite(life) ? Math.max(0, life) : 3600, ...(email ? { email } : {}) };
}

/** The response of a server that found no credentials, because it does not read forms. */
const wasNotRead = ({ body }: Answer): boolean =>
  textIn(body, "error") === "invalid_request" ||
  /full authentication is required/i.test(textIn(body, "error_description") ?? "");

const queryForm = (origin: string, target: string, parameters: Record<string, string>): SignInRequest => ({
  origin,
  method: "POST",
  target: `${target}?${new URLSearchParams(parameters)}`,
});

const firstError = (answer: Answer): unknown => {
  const errors = memberOf(answer.body, "errors");
  return Array.isArray(errors) ? errors[0] : undefined;
};

const errorCode = (answer: Answer): string | undefined => {
  const code = memberOf(firstError(answer), "code");
  return code === undefined ? undefined : String(code);
};
