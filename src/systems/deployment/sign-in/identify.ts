import type { Identity } from "../../account.ts";
import {
  isObject,
  memberOf,
  notTheSystem,
  type Obtained,
  SignInFailed,
  type SignInWork,
  textIn,
  type Who,
} from "../../sign-in.ts";
import { chosenProjects, limitedTo, listProjects, namedProjects, reachOf, readProject } from "./projects.ts";
import { type Bearer, readIfAllowed } from "./read-if-allowed.ts";
import { idOfTeam, isTeamId, listTeams, readTeam, type Team, teamOf } from "./teams.ts";

/**
 * Who an account is, by what its token may read. An installation names its team and user when its code is exchanged;
 * everything else is read only if it was granted, and left out otherwise.
 */

/** What the steps need of an installation, in the words of the integration's registration. */
const neededScopes: Readonly<Record<string, string>> = {
  deployment: "listing and creating deployments, and reading their logs",
  project: "finding projects",
};

type User = Pick<Identity, "email" | "user_id" | "username">;

/** "Identity comes from the token exchange and from the configuration, and what cannot be read is left empty." */
export function* identifyInstallation(
  bearer: Bearer,
  installationId: string,
  teamId: string | undefined,
  obtained: Obtained,
): SignInWork<Who> {
  const query = teamId === undefined ? "" : `?teamId=${encodeURIComponent(teamId)}`;
  const path = `/v1/integrations/configuration/${encodeURIComponent(installationId)}${query}`;
  const configuration = yield* readIfAllowed(bearer, path);
  const scopes = configuration ? scopesIn(configuration.body) : null;
  const isGranted = (name: string) => scopes === null || scopes.some((scope) => scope.split(":").at(-1) === name);
  const chosen = configuration ? chosenProjects(configuration.body) : null;
  const listed = configuration === null || chosen !== null ? yield* listProjects(bearer, { teamId }) : null;
  if (configuration === null && listed === null) throw nothingReadable();
  const user = isGranted("user") ? yield* readUser(bearer) : null;
  const team = teamId === undefined ? null : yield* teamOf(bearer, teamId, isGranted("team"));
  const userId = user?.user_id ?? obtained.userId;
  const identity: Identity = {
    ...user,
    ...(userId === undefined ? {} : { user_id: userId }),
    label: labelOf(team, user, userId),
    installation_id: installationId,
    ...team?.ids,
    ...(configuration === null
      ? reachOf(listed ?? [])
      : chosen === null
        ? { project_selection: "all" }
        : { project_selection: "selected", ...limitedTo(namedProjects(chosen, listed ?? [])) }),
  };
  const accessLevel = team === null ? "administrator" : team.level;
  return { identity, accessLevel, scopes: scopes ?? [], lacks: lacksOf(isGranted) };
}

interface TokenWish {
  /** The id or slug of the team to act for. */
  team: string | undefined;
  /** Its slug, if an earlier check knows it. */
  slug: string | undefined;
  /** The projects that the user, or an earlier check, names. */
  projects: readonly string[];
}

/** A person's own token: for the whole account, for one team, or for projects alone. */
export function* identifyToken(bearer: Bearer, wish: TokenWish): SignInWork<Who> {
  const user = yield* readUser(bearer);
  // "Requests to any other project, a user-level resource, or a team-level resource will be denied."
  if (user === null) return yield* identifyLimited(bearer, wish);
  if (wish.team === undefined) {
    const teams = yield* listTeams(bearer);
    const identity = { label: labelOf(null, user, user.user_id), ...user, ...(teams.length > 0 && { teams }) };
    return { identity, accessLevel: "administrator", scopes: [], lacks: null };
  }
  const { ids, level } = yield* readTeam(bearer, yield* idOfTeam(bearer, wish.team));
  const who = user.username ?? user.email ?? "team";
  const identity = { label: `${ids.team_name} (${who})`, ...user, ...ids };
  return { identity, accessLevel: level, scopes: [], lacks: null };
}

/** A token that is limited to projects. Where it may not list them either, the user names them. */
function* identifyLimited(bearer: Bearer, { team, slug, projects: named }: TokenWish): SignInWork<Who> {
  const scope = team === undefined ? {} : isTeamId(team) ? { teamId: team } : { slug: team };
  const listed = yield* listProjects(bearer, scope);
  const projects = listed === null || named.length === 0 ? [...(listed ?? [])] : [];
  for (const each of named) projects.push(yield* readProject(bearer, each, listed, scope));
  if (projects.length === 0) throw limitedWithoutProject();
  const owner = projects.find(({ ownerId }) => ownerId !== null && isTeamId(ownerId))?.ownerId ?? null;
  const teamId = scope.teamId ?? owner;
  const teamSlug = scope.slug ?? slug;
  const names = projects.map(({ name }) => name).join(", ");
  const identity: Identity = {
    label: `${teamSlug ?? teamId ?? "personal account"}, only ${names}`.slice(0, 200),
    ...(teamId === null ? {} : { team_id: teamId }),
    ...(teamSlug === undefined ? {} : { team_slug: teamSlug }),
    ...limitedTo(projects),
  };
  return { identity, accessLevel: null, scopes: [], lacks: null };
}

function labelOf(team: Team | null, user: User | null, userId: string | undefined): string {
  const who = user?.username ?? user?.email;
  if (team === null) return who ?? userId ?? "personal account";
  const { team_name: name, team_slug: slug, team_id: id } = team.ids;
  return `${name ?? slug ?? id} (${who ?? "team"})`;
}

function lacksOf(isGranted: (name: string) => boolean): string | null {
  const missing = Object.keys(neededScopes).filter((name) => !isGranted(name));
  if (missing.length === 0) return null;
  const what = missing.map((name) => neededScopes[name]).join("; ");
  return `The integration was not granted ${missing.map((name) => `"${name}"`).join(" and ")}, so this does not work: ${what}. Add it to the integration's permissions at the platform, and confirm it there.`;
}

const scopesMax = 100;

function scopesIn(configuration: unknown): string[] | null {
  const scopes = memberOf(configuration, "scopes");
  return Array.isArray(scopes) ? scopes.slice(0, scopesMax).filter((scope) => typeof scope === "string") : null;
}

/** Null if the token may not read it: an installation needs the user scope for it, and a project's token never may. */
function* readUser(bearer: Bearer): SignInWork<User | null> {
  const answer = yield* readIfAllowed(bearer, "/v2/user");
  if (answer === null) return null;
  const user = memberOf(answer.body, "user");
  if (!isObject(user)) throw notTheSystem(answer, bearer.endpoint, "The API");
  const [id, email, username] = [textIn(user, "id"), textIn(user, "email"), textIn(user, "username")];
  return { ...(id && { user_id: id }), ...(email && { email }), ...(username && { username }) };
}

const nothingReadable = (): SignInFailed =>
  new SignInFailed("missing_permissions", "The installation may read neither its configuration nor any project.", {
    remedy:
      "Give the integration read and write permission for deployments and projects in its registration at the platform, then connect again.",
  });

const limitedWithoutProject = (): SignInFailed =>
  new SignInFailed("missing_permissions", "The token is limited to projects, and may not list them.", {
    remedy:
      "Give `project_id` beside the token (id or name; several with commas), and `team_id` or `team_slug` of its team. Or use a token for the whole team.",
  });
