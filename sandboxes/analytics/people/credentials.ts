import { type PersonKey, projectNumber } from "./people.ts";
import { scopes, type TokenFacts } from "./tokens.ts";

/** Credentials that the control API lists. They are the same at every start and never end. */
export const oauthClient = {
  clientId: `${projectNumber}-sandbox.apps.analytics-sandbox.example`,
  clientSecret: "sandbox-client-secret",
};

const roles = ["viewer", "editor", "administrator"] as const;
const both = [scopes.read, scopes.edit];

// The three roles may ask for everything, so that the role alone decides; the others each lack one thing.
const accessTokens: Record<string, { person: PersonKey; scopes: string[] }> = {
  "ya29.sandbox-viewer": { person: "viewer", scopes: both },
  "ya29.sandbox-editor": { person: "editor", scopes: both },
  "ya29.sandbox-administrator": { person: "administrator", scopes: both },
  "ya29.sandbox-read-scope-only": { person: "administrator", scopes: [scopes.read] },
  "ya29.sandbox-edit-scope-only": { person: "administrator", scopes: [scopes.edit] },
  "ya29.sandbox-no-revenue": { person: "no_revenue", scopes: both },
  "ya29.sandbox-outsider": { person: "outsider", scopes: both },
};

const tokenOf = (name: string): string => `ya29.sandbox-${name}`;
const refreshTokenOf = (role: string): string => `1//sandbox-refresh-${role}`;

const facts = (kind: TokenFacts["kind"], token: string, person: PersonKey, granted: string[]): [string, TokenFacts] => [
  token,
  {
    kind,
    person,
    scopes: granted,
    clientId: oauthClient.clientId,
    grant: `listed ${token}`,
    issuedAt: 0,
    expiresAt: null,
  },
];

export const listedTokens: ReadonlyMap<string, TokenFacts> = new Map([
  ...Object.entries(accessTokens).map(([token, { person, scopes: granted }]) =>
    facts("access", token, person, granted),
  ),
  ...roles.map((role) => facts("refresh", refreshTokenOf(role), role, both)),
]);

const byRole = (make: (role: string) => string) => Object.fromEntries(roles.map((role) => [role, make(role)]));

/** The `credentials` of GET /_sandbox, without the service account. */
export const describedCredentials = {
  tokens: byRole(tokenOf),
  oauth: {
    client_id: oauthClient.clientId,
    client_secret: oauthClient.clientSecret,
    refresh_tokens: byRole(refreshTokenOf),
  },
  other_tokens: {
    read_scope_only: tokenOf("read-scope-only"),
    edit_scope_only: tokenOf("edit-scope-only"),
    no_revenue: tokenOf("no-revenue"),
    outsider: tokenOf("outsider"),
  },
};
