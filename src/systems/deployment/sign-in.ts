import type { AccessLevel, Identity } from "../account.ts";
import {
  type Endpoint,
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
import { deploymentConsent } from "./consent.ts";
import { deploymentCredentials } from "./credentials.ts";

const levels: Record<string, AccessLevel> = {
  OWNER: "administrator",
  MEMBER: "editor",
  DEVELOPER: "editor",
  CONTRIBUTOR: "viewer",
  VIEWER: "viewer",
  VIEWER_FOR_PLUS: "viewer",
  SECURITY: "viewer",
  BILLING: "viewer",
};

const mainOf = (endpoint: Endpoint): string => endpoint.addresses.main ?? "";

/** A token of a person, or of an installed integration. Neither has a known expiry, and none can be refreshed. */
export const deploymentSignIn: SignIn = {
  apis: ["main"],
  live: { main: "https://api.vercel.com" },
  credentials: deploymentCredentials,
  consent: deploymentConsent,

  // biome-ignore lint/correctness/useYield: there is nothing to ask for, the grant is the token.
  *obtain(grant): SignInWork<Obtained> {
    if (grant.kind !== "access token") throw new Error("A deployment account has an access token.");
    return { token: grant.token, expiresInSeconds: null };
  },

  *identify(token, endpoint, { teamId, obtained }): SignInWork<Who> {
    const team = teamId ?? obtained.teamId;
    const user = yield* readUser(token, endpoint);
    const base = { ...user, ...(obtained.installationId ? { installation_id: obtained.installationId } : {}) };
    const scopes = yield* readScopes(token, endpoint, obtained.installationId, team);
    if (team === undefined) {
      const label = user.username ?? user.email ?? user.user_id ?? "personal account";
      return { identity: { label, ...base }, accessLevel: "administrator", scopes, lacks: null };
    }
    const found = yield* readTeam(token, endpoint, team);
    const identity: Identity = {
      label: `${found.name} (${user.username ?? user.email ?? "team"})`,
      ...base,
      ...found.ids,
    };
    return { identity, accessLevel: levels[found.role] ?? null, scopes, lacks: null };
  },

  revoke(grant, token, endpoint, identity) {
    const installation = grant.kind === "access token" ? grant.installationId : undefined;
    if (installation === undefined || token === null) return null;
    return uninstall(token, endpoint, installation, identity.team_id);
  },
};

function* uninstall(
  token: string,
  endpoint: Endpoint,
  installationId: string,
  teamId: string | undefined,
): SignInWork<void> {
  const team = teamId ? `?teamId=${encodeURIComponent(teamId)}` : "";
  const target = `/v1/integrations/configuration/${encodeURIComponent(installationId)}${team}`;
  const answer = yield { origin: mainOf(endpoint), method: "DELETE", target, bearer: token };
  // An integration that was already uninstalled counts as revoked.
  const isGrantLost = answer.status === 404 || isRefusedToken(answer);
  if (answer.status >= 300 && !isGrantLost) throw new SignInFailed("unreachable", `It answered ${answer.status}.`);
}

function* readUser(token: string, endpoint: Endpoint): SignInWork<Pick<Identity, "email" | "user_id" | "username">> {
  const answer = yield { origin: mainOf(endpoint), method: "GET", target: "/v2/user", bearer: token };
  refuse(answer, endpoint, "the user");
  const user = memberOf(answer.body, "user");
  if (!isObject(user)) throw notTheSystem(answer, endpoint, "The API");
  const [id, email, username] = [textIn(user, "id"), textIn(user, "email"), textIn(user, "username")];
  return { ...(id && { user_id: id }), ...(email && { email }), ...(username && { username }) };
}

function* readTeam(
  token: string,
  endpoint: Endpoint,
  team: string,
): SignInWork<{ name: string; role: string; ids: Partial<Identity> }> {
  const target = `/v2/teams/${encodeURIComponent(team)}`;
  const answer = yield { origin: mainOf(endpoint), method: "GET", target, bearer: token };
  refuse(answer, endpoint, `the team ${team}`);
  const id = textIn(answer.body, "id");
  if (id === undefined) throw notTheSystem(answer, endpoint, "The API");
  const slug = textIn(answer.body, "slug") ?? id;
  const name = textIn(answer.body, "name") ?? slug;
  const role = textIn(memberOf(answer.body, "membership"), "role") ?? "";
  return { name, role, ids: { team_id: id, team_slug: slug, team_name: name } };
}

/** The scopes of an installation; a personal token has its owner's rights. */
function* readScopes(
  token: string,
  endpoint: Endpoint,
  installationId: string | undefined,
  team: string | undefined,
): SignInWork<string[]> {
  if (installationId === undefined) return [];
  const query = team ? `?teamId=${encodeURIComponent(team)}` : "";
  const target = `/v1/integrations/configuration/${encodeURIComponent(installationId)}${query}`;
  const answer = yield { origin: mainOf(endpoint), method: "GET", target, bearer: token };
  const scopes = memberOf(answer.body, "scopes");
  return Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === "string") : [];
}

/** A failed sign-in is 403 here, like a missing right; a member of the error distinguishes them. */
function isRefusedToken(answer: Answer): boolean {
  const error = memberOf(answer.body, "error");
  return (
    answer.status === 401 ||
    (answer.status === 403 && (memberOf(error, "invalidToken") === true || memberOf(error, "missingToken") === true))
  );
}

function refuse(answer: Answer, endpoint: Endpoint, what: string): void {
  if (answer.status < 300) return;
  const error = memberOf(answer.body, "error");
  const said = textIn(error, "message") ?? `status ${answer.status}`;
  if (isRefusedToken(answer)) {
    throw new SignInFailed("invalid_credentials", `The system does not know the token: ${said}.`, {
      isGrantLost: true,
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
