import type { SandboxCall } from "../../server/sandbox.ts";
import { ApiError, errorInfo } from "../wire/api-error.ts";
import { type Person, people } from "./people.ts";
import type { Tokens } from "./tokens.ts";

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
export function authenticate(call: SandboxCall, method: ApiMethod, tokens: Tokens): Caller {
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
  const facts = tokens.read(token);
  if (facts?.kind !== "access") {
    throw new ApiError("UNAUTHENTICATED", `Request had invalid authentication credentials. ${expected}`, [], {
      "www-authenticate": `${realm}, error="invalid_token"`,
    });
  }
  return { person: people[facts.person], scopes: facts.scopes };
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
