import {
  type Endpoint,
  isObject,
  memberOf,
  notTheSystem,
  SignInFailed,
  type SignInWork,
  textIn,
} from "../../sign-in.ts";
import type { Answer } from "../../work.ts";

/** Reads with a token whose rights are not known yet: what it may not read is left out, and what is wrong is refused. */

/** The token and where it is valid. */
export interface Bearer {
  token: string;
  endpoint: Endpoint;
}

export const mainOf = (endpoint: Endpoint): string => endpoint.addresses.main ?? "";

export const queryOf = (query: Readonly<Record<string, string | number | undefined>>): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
};

/** Null if the token may not read it, or sees nothing there. An invalid token, and a failing system, are refusals. */
export function* readIfAllowed(bearer: Bearer, target: string): SignInWork<Answer | null> {
  const answer = yield { origin: mainOf(bearer.endpoint), method: "GET", target, bearer: bearer.token };
  const error = memberOf(answer.body, "error");
  const isDenied = (answer.status === 403 || answer.status === 404) && isObject(error);
  const isOwnMatter = isRefusedToken(answer) || textIn(error, "code") === "integration_configuration_disabled";
  if (isDenied && !isOwnMatter) return null;
  refuse(answer, bearer.endpoint, "the account");
  return answer;
}

/** A failed sign-in is 403 here, like a missing right; a member of the error distinguishes them. */
export function isRefusedToken(answer: Answer): boolean {
  const error = memberOf(answer.body, "error");
  return (
    answer.status === 401 ||
    (answer.status === 403 && (memberOf(error, "invalidToken") === true || memberOf(error, "missingToken") === true))
  );
}

export function refuse(answer: Answer, endpoint: Endpoint, what: string): void {
  if (answer.status < 300) return;
  const error = memberOf(answer.body, "error");
  const said = textIn(error, "message") ?? `status ${answer.status}`;
  if (isRefusedToken(answer)) {
    throw new SignInFailed("invalid_credentials", `The system does not know the token: ${said}.`, {
      isGrantLost: true,
    });
  }
  if (textIn(error, "code") === "integration_configuration_disabled") {
    throw new SignInFailed("missing_permissions", `The installation is disabled: ${said}`, {
      remedy: "Enable the integration again at the platform; the connection then works as before.",
    });
  }
  if (answer.status === 403) {
    throw new SignInFailed("missing_permissions", `The token may not read ${what}: ${said}`, {
      remedy: "Use a token that reaches this team, made by one of its members, or leave out the team.",
    });
  }
  if (answer.status === 404 && isObject(error)) {
    throw new SignInFailed("missing_permissions", `The token cannot see ${what}: ${said}`, {
      remedy: "Check `team_id` or `team_slug`, or leave it out for the personal account.",
    });
  }
  throw notTheSystem(answer, endpoint, "The API");
}
