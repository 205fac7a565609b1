import type { Clock } from "../../server/clock.ts";
import type { SandboxCall } from "../../server/sandbox.ts";
import { ApiError, errorInfo } from "../wire/api-error.ts";
import { type Person, people, projectNumber } from "./people.ts";
import { isTimely, readServiceJwt } from "./service-jwt.ts";
import { scopes, type Tokens, userScopes } from "./tokens.ts";

export interface Caller {
  person: Person;
  scopes: string[];
}

/** The vendor's full name of a method, which its refusals mention. */
export interface ApiMethod {
  service: "analyticsdata.googleapis.com" | "analyticsadmin.googleapis.com";
  name: string;
}

const signInPage = "https://developers.google.com/identity/sign-in/web/devconsole-project";
const expected = `Expected OAuth 2 access token, login cookie or other valid authentication credential. See ${signInPage}.`;
const realm = 'Bearer realm="https://accounts.google.com/"';

/** Two different refusals: nothing was sent, or what was sent is dead or unknown. */
export function authenticate(
  call: SandboxCall,
  method: ApiMethod,
  { tokens, clock, baseUrl }: { tokens: Tokens; clock: Clock; baseUrl: string },
): Caller {
  const header = call.headers.authorization;
  const token = header === undefined ? call.query.get("access_token") || call.query.get("oauth_token") : bearer(header);
  if (token === null) {
    throw new ApiError(
      "UNAUTHENTICATED",
      `Request is missing required authentication credential. ${expected}`,
      [errorInfo("CREDENTIALS_MISSING", { service: method.service, method: method.name })],
      { "www-authenticate": realm },
    );
  }
  const signed = isJwt(token) ? readSelfSigned(token, [`https://${method.service}`, baseUrl], clock) : null;
  if (signed) return signed;
  const facts = tokens.read(token);
  if (facts?.kind !== "access") {
    throw new ApiError("UNAUTHENTICATED", `Request had invalid authentication credentials. ${expected}`, [], {
      "www-authenticate": `${realm}, error="invalid_token"`,
    });
  }
  return { person: people[facts.person], scopes: facts.scopes };
}

const isJwt = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) && !token.startsWith("ya29");

/** AIP-4111: a service account may sign a token by itself, for one service or for some scopes, never for both. */
function readSelfSigned(token: string, services: string[], clock: Clock): Caller | null {
  const read = readServiceJwt(token);
  if ("refusal" in read || !isTimely(read.claims, clock.now())) return null;
  const { aud, scope, sub, iss } = read.claims;
  if (sub !== iss || (aud === undefined) === (scope === undefined)) return null;
  if (scope !== undefined) return { person: people[read.person], scopes: String(scope).split(" ") };
  const isForUs = services.some((service) => aud === service || String(aud).startsWith(`${service}/`));
  return isForUs
    ? { person: people[read.person], scopes: [...Object.values(scopes), ...Object.values(userScopes)] }
    : null;
}

/** Who calls, and from a project that has turned on the API? */
export function requireEnabled({ person }: Caller, { service }: ApiMethod, isEnabled: boolean): void {
  const project = person.projectWithoutApis ?? projectNumber;
  if (isEnabled && person.projectWithoutApis === undefined) return;
  const title = service === "analyticsdata.googleapis.com" ? "Google Analytics Data API" : "Google Analytics Admin API";
  const activationUrl = `https://console.developers.google.com/apis/api/${service}/overview?project=${project}`;
  throw new ApiError(
    "PERMISSION_DENIED",
    `${title} has not been used in project ${project} before or it is disabled. Enable it by visiting ${activationUrl} then retry. If you enabled this API recently, wait a few minutes for the action to propagate to our systems and retry.`,
    [
      errorInfo("SERVICE_DISABLED", {
        service,
        serviceTitle: title,
        consumer: `projects/${project}`,
        containerInfo: project,
        activationUrl,
      }),
    ],
  );
}

const bearer = (header: string): string => (/^Bearer +/i.test(header) ? header.replace(/^Bearer +/i, "") : "");

/** The scope is checked before the role. */
export function requireScope(caller: Caller, accepted: readonly string[], method: ApiMethod): void {
  if (caller.scopes.some((scope) => accepted.includes(scope))) return;
  throw new ApiError(
    "PERMISSION_DENIED",
    "Request had insufficient authentication scopes.",
    [errorInfo("ACCESS_TOKEN_SCOPE_INSUFFICIENT", { service: method.service, method: method.name })],
    { "www-authenticate": `${realm}, error="insufficient_scope", scope="${accepted.join(" ")}"` },
  );
}
