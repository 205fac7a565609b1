import { type Endpoint, isObject, memberOf, notTheSystem, SignInFailed, textIn } from "../../sign-in.ts";
import type { Answer } from "../../work.ts";
import { disabledService, reasonOf } from "../protocol/vendor-json.ts";
import { broadScope, editScope, readScope } from "./token.ts";

/** Why an account cannot be read, in words that say who can help. */

interface Reached {
  accounts: readonly unknown[];
  properties: readonly unknown[];
}

export function refuseUnread(answer: Answer, endpoint: Endpoint, api: "Admin API" | "Data API"): void {
  if (answer.status < 300 && isObject(answer.body)) return;
  const said = textIn(memberOf(answer.body, "error"), "message") ?? `status ${answer.status}`;
  if (answer.status === 401) {
    throw new SignInFailed("invalid_credentials", `The system refuses the token: ${said}`, { isGrantLost: true });
  }
  if (answer.status !== 403) throw notTheSystem(answer, endpoint, `The ${api}`);
  const { reason, metadata } = reasonOf(answer.body);
  if (reason === "SERVICE_DISABLED") {
    const { what, remedy } = disabledService(metadata);
    throw new SignInFailed("missing_permissions", what, { remedy });
  }
  throw new SignInFailed("missing_permissions", `The account may not read the ${api}: ${said}`, {
    remedy: "Grant the analytics scopes in the consent page, and switch on both Analytics APIs in the cloud project.",
  });
}

const canRead = (scopes: readonly string[]): boolean => scopes.includes(readScope) || scopes.includes(broadScope);

/** Users consent per scope. Without the first one, nothing that they connect the account for would work. */
export function refuseUnreadable(scopes: readonly string[]): void {
  if (scopes.length === 0 || canRead(scopes)) return;
  throw new SignInFailed(
    "missing_permissions",
    "Reports are not allowed: analytics.readonly was not granted, so no report could be run.",
    { remedy: "Connect again, and leave “See and download your Google Analytics data” ticked in the consent page." },
  );
}

/** Google names service accounts so; their project is a part of the name. */
const serviceAccount = /@[\w-]+\.iam\.|\.gserviceaccount\.com$/;

export function refuseOutOfReach(reach: Reached, email: string | undefined): void {
  if (reach.accounts.length > 0) return;
  const who = email ?? "the account";
  const role = "In Google Analytics, open Admin, Property access management (or Account access management)";
  throw new SignInFailed(
    "missing_permissions",
    `No analytics account is in reach of ${who}: nothing can be read with it.`,
    {
      remedy: serviceAccount.test(who)
        ? `${role}, and add ${who} as a user with the role Viewer or higher. Then connect again.`
        : `Connect again with the Google account that sees your properties. Or let somebody add ${who}: ${role}, and add it with the role Viewer or higher.`,
    },
  );
}

/** What does not work although the account can be read. */
export function lackOf(scopes: readonly string[], reach: Reached, grantEndsAt: string | undefined): string | null {
  const lacks: string[] = [];
  if (scopes.length > 0 && !scopes.includes(editScope)) {
    lacks.push(
      "Changes are not allowed: analytics.edit was not granted. Reports work; Create Key Events, Create properties and changes by Analytics API Call do not. To allow them, reconnect and leave every box ticked.",
    );
  }
  if (reach.properties.length === 0) lacks.push("The account has no property yet: there is nothing to report on.");
  if (grantEndsAt !== undefined) {
    lacks.push(
      `The system ends this sign-in at ${grantEndsAt}. After seven days it ends because the consent screen of the OAuth client is in testing: publish it, then reconnect (docs/connect/google-analytics.md).`,
    );
  }
  return lacks.length > 0 ? lacks.join(" ") : null;
}
