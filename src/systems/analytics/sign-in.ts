import type { AccessLevel, Identity } from "../account.ts";
import {
  type Endpoint,
  type Grant,
  isObject,
  memberOf,
  notTheSystem,
  type Obtained,
  type SignIn,
  SignInFailed,
  type SignInWork,
  textIn,
  type Who,
} from "../sign-in.ts";
import type { Answer } from "../work.ts";
import { analyticsConsent } from "./consent.ts";
import { analyticsCredentials } from "./credentials.ts";
import {
  adminOf,
  analyticsAudience,
  analyticsScopes,
  askToken,
  broadScope,
  editScope,
  readScope,
  tokenHost,
} from "./token.ts";

const propertiesShownMax = 50;
const pagesMax = 25;

export const analyticsSignIn: SignIn = {
  live: { data: "https://analyticsdata.googleapis.com", admin: "https://analyticsadmin.googleapis.com" },
  apis: ["data", "admin"],
  credentials: analyticsCredentials,
  consent: analyticsConsent,
  assertion: (endpoint) => ({ audience: analyticsAudience(endpoint), scopes: analyticsScopes }),

  *obtain(grant, endpoint, assertion): SignInWork<Obtained> {
    if (grant.kind === "access token") return { token: grant.token, expiresInSeconds: null };
    return yield* askToken(endpoint, formOf(grant, endpoint, assertion));
  },

  *identify(token, endpoint, { obtained, knownLevel }): SignInWork<Who> {
    const facts = yield* readTokenFacts(token, endpoint);
    const scopes = facts.scopes ?? obtained.scopes ?? [];
    const reach = yield* readReach(token, endpoint);
    const mayEdit = scopes.length === 0 || scopes.includes(editScope);
    const level =
      mayEdit && reach.canEdit
        ? knownLevel === "administrator" || knownLevel === "editor"
          ? knownLevel
          : yield* levelOfEditor(token, endpoint, reach.accounts[0])
        : "viewer";
    const email = facts.email ?? obtained.email;
    const identity: Identity = {
      label: email ?? reach.accountName ?? "analytics account",
      ...(email && { email }),
      ...(facts.subject && { user_id: facts.subject }),
      properties: reach.properties.slice(0, propertiesShownMax),
      properties_total: reach.properties.length,
    };
    return { identity, accessLevel: reach.accounts.length > 0 ? level : null, scopes, lacks: lackOf(scopes, reach) };
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

interface Reach {
  properties: NonNullable<Identity["properties"]>;
  accounts: string[];
  accountName: string | null;
  canEdit: boolean;
}

/** Every account and property in reach; the vendor's own picker shows only the first page. */
function* readReach(token: string, endpoint: Endpoint): SignInWork<Reach> {
  const reach: Reach = { properties: [], accounts: [], accountName: null, canEdit: false };
  let pageToken = "";
  for (let page = 0; page < pagesMax; page++) {
    const target = `/v1beta/accountSummaries?pageSize=200${pageToken && `&pageToken=${encodeURIComponent(pageToken)}`}`;
    const answer: Answer = yield { origin: adminOf(endpoint), method: "GET", target, bearer: token };
    refuse(answer, endpoint);
    for (const account of listIn(answer.body, "accountSummaries")) addAccount(reach, account);
    pageToken = textIn(answer.body, "nextPageToken") ?? "";
    if (pageToken === "") break;
  }
  return reach;
}

function addAccount(reach: Reach, account: unknown): void {
  const name = textIn(account, "account");
  if (name === undefined) return;
  reach.accounts.push(name);
  reach.accountName ??= textIn(account, "displayName") ?? null;
  for (const summary of listIn(account, "propertySummaries")) {
    if (memberOf(summary, "canEdit") === true) reach.canEdit = true;
    reach.properties.push({
      property_id: (textIn(summary, "property") ?? "").replace(/^properties\//, ""),
      display_name: textIn(summary, "displayName") ?? "",
      account_id: name.replace(/^accounts\//, ""),
    });
  }
}

const listIn = (body: unknown, name: string): unknown[] => {
  const value = memberOf(body, name);
  return Array.isArray(value) ? value : [];
};

/**
 * No call tells an administrator from an editor. So we send one that only an administrator may make and that always
 * fails: creating a property without a time zone. Others are refused before the system notices the mistake.
 */
function* levelOfEditor(token: string, endpoint: Endpoint, account: string | undefined): SignInWork<AccessLevel> {
  if (account === undefined) return "editor";
  const json = { parent: account };
  const answer = yield { origin: adminOf(endpoint), method: "POST", target: "/v1beta/properties", bearer: token, json };
  return answer.status === 400 ? "administrator" : "editor";
}

function refuse(answer: Answer, endpoint: Endpoint): void {
  if (answer.status < 300 && isObject(answer.body)) return;
  const error = memberOf(answer.body, "error");
  const said = textIn(error, "message") ?? `status ${answer.status}`;
  if (answer.status === 401) {
    throw new SignInFailed("invalid_credentials", `The system refuses the token: ${said}`, { isGrantLost: true });
  }
  if (answer.status === 403) {
    throw new SignInFailed("missing_permissions", `The account may not read the Admin API: ${said}`, {
      remedy: "Grant the analytics scopes in the consent page, and switch on both Analytics APIs in the cloud project.",
    });
  }
  throw notTheSystem(answer, endpoint, "The Admin API");
}

/** Users consent per scope, so the granted scopes may be fewer than the requested ones. */
function lackOf(scopes: string[], reach: Reach): string | null {
  const lacks: string[] = [];
  const canRead = scopes.includes(readScope) || scopes.includes(broadScope);
  if (scopes.length > 0 && !canRead) lacks.push("Reports are not allowed: analytics.readonly was not granted.");
  if (scopes.length > 0 && !scopes.includes(editScope)) {
    lacks.push("Changes are not allowed: analytics.edit was not granted.");
  }
  if (reach.accounts.length === 0) lacks.push("No analytics account is in reach.");
  return lacks.length > 0 ? lacks.join(" ") : null;
}

function* revokeToken(token: string, endpoint: Endpoint): SignInWork<void> {
  const answer = yield { origin: tokenHost(endpoint), method: "POST", target: "/revoke", form: { token } };
  // A token that was already invalid gets 400.
  if (answer.status >= 300 && answer.status !== 400) {
    throw new SignInFailed("unreachable", `It answered ${answer.status}.`);
  }
}
