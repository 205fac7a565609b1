import type { AccessLevel, Identity } from "../account.ts";
import {
  type Consent,
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

const readScope = "https://www.googleapis.com/auth/analytics.readonly";
const editScope = "https://www.googleapis.com/auth/analytics.edit";
const broadScope = "https://www.googleapis.com/auth/analytics";
/** Reports need the first, everything that changes something the second; both are asked for, and nothing broader. */
export const analyticsScopes = [readScope, editScope] as const;
/** Asked for beside them, so that a connection can say whose it is. */
const identityScopes = ["openid", "email"];

const propertiesShownMax = 50;
const pagesMax = 25;

const isLive = (endpoint: Endpoint): boolean => endpoint.instance === "live";
const adminOf = (endpoint: Endpoint): string => endpoint.addresses.admin ?? "";
const tokenHost = (endpoint: Endpoint): string =>
  isLive(endpoint) ? "https://oauth2.googleapis.com" : adminOf(endpoint);
const consentHost = (endpoint: Endpoint): string =>
  isLive(endpoint) ? "https://accounts.google.com" : adminOf(endpoint);
/** What a service account's assertion is addressed to. */
export const analyticsAudience = (endpoint: Endpoint): string => `${tokenHost(endpoint)}/token`;

export const analyticsSignIn: SignIn = {
  system: "analytics",
  live: { data: "https://analyticsdata.googleapis.com", admin: "https://analyticsadmin.googleapis.com" },
  apis: ["data", "admin"],

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

function* askToken(endpoint: Endpoint, form: Record<string, string>): SignInWork<Obtained> {
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
  // A signed request that is too old or too new says something about a clock, and nothing about the grant.
  if (error === "invalid_grant" && /\biat\b/.test(said)) {
    return new SignInFailed("invalid_credentials", `The system refuses the time of the request: ${said}`, {
      remedy: "Set the clock of the machine that Signalbox runs on.",
    });
  }
  if (error === "invalid_grant") {
    const again = textIn(answer.body, "error_subtype") === "invalid_rapt" ? " Its owner must sign in anew." : "";
    return new SignInFailed("invalid_credentials", `The grant is not valid any longer: ${said}${again}`, {
      isGone: true,
      remedy: "Connect the account again; the grant was withdrawn, expired, or never valid.",
    });
  }
  return new SignInFailed("invalid_credentials", `The system refuses the sign-in: ${said} (${error}).`, {
    remedy: "Check client id and client secret, or the service account's key.",
  });
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
      isGone: true,
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

/** Every account and property in reach; the vendor's own picker stops at the first page, and people miss the rest. */
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
 * No call tells an administrator from an editor, so one is made that only an administrator may make and that nobody can
 * carry out: a property without a time zone. Whoever may not is refused before that is noticed.
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
    throw new SignInFailed("invalid_credentials", `The system refuses the token: ${said}`, { isGone: true });
  }
  if (answer.status === 403) {
    throw new SignInFailed("missing_permissions", `The account may not read the Admin API: ${said}`, {
      remedy: "Grant the analytics scopes in the consent page, and switch on both Analytics APIs in the cloud project.",
    });
  }
  throw notTheSystem(answer, endpoint, "The Admin API");
}

/** Consent is given box by box, so what was asked for need not be what was granted. */
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
  // A token that was dead already is answered with 400.
  if (answer.status >= 300 && answer.status !== 400) {
    throw new SignInFailed("unreachable", `It answered ${answer.status}.`);
  }
}

export const analyticsConsent: Consent = {
  url(endpoint, { state, challenge, redirectUri, loginHint }) {
    const url = new URL("/o/oauth2/v2/auth", consentHost(endpoint));
    url.search = new URLSearchParams({
      client_id: endpoint.client?.id ?? "",
      redirect_uri: redirectUri,
      response_type: "code",
      scope: [...identityScopes, ...analyticsScopes].join(" "),
      state,
      // Without both of these a second connection would come without a refresh token.
      access_type: "offline",
      prompt: "consent",
      code_challenge: challenge,
      code_challenge_method: "S256",
      ...(loginHint === undefined ? {} : { login_hint: loginHint }),
    }).toString();
    return url.href;
  },

  issuer: consentHost,
  isFrom: (parameters) => !parameters.has("configurationId"),

  *exchange(endpoint, { code, verifier, redirectUri }): SignInWork<{ grant: Grant; obtained: Obtained }> {
    const { client } = endpoint;
    if (!client) throw new Error("No client for the exchange of a code.");
    const obtained = yield* askToken(endpoint, {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      client_id: client.id,
      client_secret: client.secret,
      code_verifier: verifier,
    });
    const granted = obtained.scopes ?? [...analyticsScopes];
    if (!granted.some((scope) => scope === broadScope || scope === readScope || scope === editScope)) {
      throw new SignInFailed("missing_permissions", "None of the analytics permissions was granted.", {
        remedy: "Connect again and leave the boxes of the consent page ticked.",
      });
    }
    if (obtained.refreshToken === undefined) {
      throw new SignInFailed(
        "invalid_credentials",
        "The system gave no refresh token, so the connection would end within the hour.",
        {
          remedy: "Remove this application at the system (third-party access of the account), then connect again.",
        },
      );
    }
    const { refreshToken, ...rest } = obtained;
    return { grant: { kind: "refresh token", refreshToken, fromConsent: true }, obtained: rest };
  },
};
