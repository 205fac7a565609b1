import { randomBytes } from "node:crypto";
import type { Clock } from "../../server/clock.ts";
import type { SandboxAnswer, SandboxCall } from "../../server/sandbox.ts";
import { isPersonKey, type PersonKey, people } from "../people/people.ts";
import type { AdjustableLimits } from "../quota/limits.ts";
import { type AuthorizationRequest, isIdentityScope, readAuthorizationRequest } from "./authorization-request.ts";
import { consentPage, errorPage } from "./consent-page.ts";

/** What a code stands for until it is exchanged, once. */
export interface CodeGrant {
  request: AuthorizationRequest;
  person: PersonKey;
  scopes: string[];
  expiresAt: number;
  /** A refresh token comes with the first consent, or with one that was asked for again. */
  givesRefreshToken: boolean;
}

export interface Authorization {
  show(call: SandboxCall): SandboxAnswer;
  decide(call: SandboxCall): SandboxAnswer;
  /** Gives the code's meaning and forgets the code. */
  redeem(code: string): CodeGrant | null;
  /** After a revocation the next consent is a first one. */
  forgetConsent(person: PersonKey, clientId: string): void;
  /** Nobody has consented to anything yet, and no code is out. */
  reset(): void;
}

export function createAuthorization(adjustableLimits: AdjustableLimits, clock: Clock, baseUrl: string): Authorization {
  const codes = new Map<string, CodeGrant>();
  // What each person has allowed each client so far.
  const consents = new Map<string, Set<string>>();

  function grant(request: AuthorizationRequest, person: PersonKey, ticked: string[]): SandboxAnswer {
    const key = consentKey(person, request.clientId);
    const before = consents.get(key);
    const asked = request.scopes.filter((scope) => isIdentityScope(scope) || ticked.includes(scope));
    const scopes = [...new Set([...asked, ...(request.includesGranted ? (before ?? []) : [])])];
    const isFirst = before === undefined || asked.some((scope) => !before.has(scope));
    consents.set(key, new Set([...(before ?? []), ...asked]));
    const code = `4/0A${randomBytes(32).toString("base64url")}`;
    codes.set(code, {
      request,
      person,
      scopes,
      expiresAt: clock.now() + adjustableLimits.current().authorization_code_seconds * 1000,
      givesRefreshToken: request.isOffline && (isFirst || request.prompt.split(" ").includes("consent")),
    });
    return redirect(request, { code, scope: scopes.join(" ") }, people[person].email);
  }

  return {
    show(call) {
      const request = readAuthorizationRequest(call.query);
      if ("error" in request) return errorPage(request);
      // Nobody stays signed in here, so a question that must not be asked has no answer.
      if (request.prompt === "none") return redirect(request, { error: "interaction_required" }, null);
      return consentPage(request, call.query, baseUrl);
    },

    decide(call) {
      const form = new URLSearchParams(call.body.toString());
      const request = readAuthorizationRequest(form);
      if ("error" in request) return errorPage(request);
      const person = form.get("person") ?? "";
      const ticked = form.getAll("granted");
      if (!isPersonKey(person))
        return errorPage({ error: "invalid_request", explanation: "Choose whom to sign in as." });
      // Who somebody is needs no box: only where there were boxes can all of them be left empty.
      const offered = request.scopes.filter((scope) => !isIdentityScope(scope));
      const allowsNothing = offered.length > 0 && !offered.some((scope) => ticked.includes(scope));
      if (form.get("decision") !== "allow" || allowsNothing)
        return redirect(request, { error: "access_denied" }, people[person].email);
      return grant(request, person, ticked);
    },

    redeem(code) {
      const found = codes.get(code) ?? null;
      codes.delete(code);
      return found && found.expiresAt > clock.now() ? found : null;
    },

    forgetConsent: (person, clientId) => void consents.delete(consentKey(person, clientId)),

    reset() {
      codes.clear();
      consents.clear();
    },
  };
}

const consentKey = (person: PersonKey, clientId: string): string => `${person} ${clientId}`;

function redirect(
  request: AuthorizationRequest,
  parameters: Record<string, string>,
  identity: string | null,
): SandboxAnswer {
  const target = new URL(request.redirectUri);
  if (request.state !== null) target.searchParams.set("state", request.state);
  for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
  return { status: 302, headers: { location: target.href, "cache-control": "no-store" }, identity };
}
