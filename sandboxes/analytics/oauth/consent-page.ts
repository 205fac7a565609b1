import type { SandboxAnswer } from "../../server/sandbox.ts";
import { type PersonKey, people, signInChoices } from "../people/people.ts";
import { scopes } from "../people/tokens.ts";
import { escapeHtml, htmlPage } from "../wire/html-pages.ts";
import { type AuthorizationRequest, isIdentityScope, type ShownError } from "./authorization-request.ts";

export const decisionPath = "/o/oauth2/v2/auth/decision";

const explanations: Record<string, string> = {
  [scopes.read]: "See and download your Analytics data",
  [scopes.edit]: "Edit Analytics management entities",
  [scopes.all]: "View and manage your Analytics data",
};

/** One page for both questions: who is signing in, and what the application may do. Every permission can be left out. */
export function consentPage(request: AuthorizationRequest, query: URLSearchParams, baseUrl: string): SandboxAnswer {
  const chosen = signInChoices.find((key) => people[key].email === request.loginHint) ?? "administrator";
  const hidden = [...query].map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return htmlPage(
    200,
    "Sign in to the analytics sandbox",
    `<h1>An application wants access to your Analytics account</h1>
<p>This is the analytics sandbox: nobody’s real account, no password. The response goes to <code>${escapeHtml(request.redirectUri)}</code>.</p>
<form method="post" action="${escapeHtml(baseUrl + decisionPath)}">
${hidden.join("\n")}
<fieldset><legend>Sign in as</legend>
${signInChoices.map((key) => personChoice(key, key === chosen)).join("\n")}
</fieldset>
<fieldset><legend>Select what the application can access</legend>
${request.scopes
  .filter((scope) => !isIdentityScope(scope))
  .map(scopeChoice)
  .join("\n")}
</fieldset>
<button type="submit" name="decision" value="allow">Continue</button>
<button type="submit" name="decision" value="deny" class="plain">Cancel</button>
</form>`,
  );
}

function personChoice(key: PersonKey, isChosen: boolean): string {
  const { name, email, roles } = people[key];
  const role = Object.values(roles)[0] ?? "no access";
  const checked = isChosen ? " checked" : "";
  return `<label><input type="radio" name="person" value="${key}"${checked}> ${escapeHtml(name)} (${escapeHtml(email)}), ${role}</label>`;
}

const scopeChoice = (scope: string): string =>
  `<label><input type="checkbox" name="granted" value="${escapeHtml(scope)}" checked> ${escapeHtml(explanations[scope] ?? scope)}</label>`;

export const errorPage = ({ error, explanation }: ShownError): SandboxAnswer =>
  htmlPage(
    400,
    `Error 400: ${error}`,
    `<h1>Access blocked: the application’s request is invalid</h1>
<p>${escapeHtml(explanation)}</p>
<p>Error 400: ${escapeHtml(error)}</p>`,
  );
