import type { AccessLevel, Identity } from "../../account.ts";
import {
  type Endpoint,
  isObject,
  memberOf,
  notTheSystem,
  type Obtained,
  SignInFailed,
  type SignInWork,
  textIn,
  type Who,
} from "../../sign-in.ts";
import type { Answer } from "../../work.ts";

/**
 * Who an account is, by what its token may read. An installation names its team and user when its code is exchanged;
 * everything else is read only if it was granted, and left out otherwise.
 */

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

/** What the steps need of an installation, in the words of the integration's registration. */
const neededScopes: Readonly<Record<string, string>> = {
  deployment: "listing and creating deployments, and reading their logs",
  project: "finding projects",
};

const projectsMax = 50;

/** The token and where it is valid. */
export interface Bearer {
  token: string;
  endpoint: Endpoint;
}

const mainOf = (endpoint: Endpoint): string => endpoint.addresses.main ?? "";

interface Team {
  level: AccessLevel | null;
  ids: Pick<Identity, "team_id" | "team_slug" | "team_name">;
}

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
    ...(chosen === null ? {} : limitedTo(namedProjects(chosen, listed ?? []))),
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

function* readProject(
  bearer: Bearer,
  named: string,
  listed: readonly Project[] | null,
  scope: TeamScope,
): SignInWork<Project> {
  const known = listed?.find(({ id, name }) => named === id || named === name);
  if (known) return known;
  const answer = yield* readIfAllowed(bearer, `/v9/projects/${encodeURIComponent(named)}${queryOf(scope)}`);
  const [project] = answer === null ? [] : projectsIn({ projects: [answer.body] });
  if (project === undefined) throw projectOutOfReach(named, scope.teamId ?? scope.slug);
  return project;
}

interface TeamScope {
  teamId?: string | undefined;
  slug?: string | undefined;
}

const isTeamId = (text: string): boolean => text.startsWith("team_");

const queryOf = (query: TeamScope & { limit?: number }): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
};

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

interface Project {
  id: string;
  name: string;
  ownerId: string | null;
}

const projectsIn = (body: unknown): Project[] => {
  const rows = memberOf(body, "projects");
  return (Array.isArray(rows) ? rows : []).flatMap((row) => {
    const id = textIn(row, "id");
    return id === undefined ? [] : [{ id, name: textIn(row, "name") ?? id, ownerId: textIn(row, "accountId") ?? null }];
  });
};

/** Null if the token may not list them. */
function* listProjects(bearer: Bearer, scope: TeamScope): SignInWork<Project[] | null> {
  const answer = yield* readIfAllowed(bearer, `/v9/projects${queryOf({ limit: 100, ...scope })}`);
  return answer && projectsIn(answer.body);
}

/** The ids of the projects that an installation is limited to; null if it reaches all. */
function chosenProjects(configuration: unknown): string[] | null {
  const projects = memberOf(configuration, "projects");
  if (textIn(configuration, "projectSelection") === "all" || !Array.isArray(projects)) return null;
  return projects.filter((id) => typeof id === "string");
}

const namedProjects = (ids: readonly string[], listed: readonly Project[]): Project[] =>
  ids.map((id) => listed.find((each) => each.id === id) ?? { id, name: id, ownerId: null });

const limitedTo = (projects: readonly Project[]): Pick<Identity, "projects" | "projects_total"> => ({
  projects: projects.slice(0, projectsMax).map(({ id, name }) => ({ project_id: id, name })),
  projects_total: projects.length,
});

function scopesIn(configuration: unknown): string[] | null {
  const scopes = memberOf(configuration, "scopes");
  return Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === "string") : null;
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

/** They only help a person to choose, so no answer to this is a refusal. */
function* listTeams({ token, endpoint }: Bearer): SignInWork<NonNullable<Identity["teams"]>> {
  const target = "/v2/teams?limit=100";
  let rows: unknown = [];
  try {
    const answer = yield { origin: mainOf(endpoint), method: "GET", target, bearer: token };
    if (answer.status < 300) rows = memberOf(answer.body, "teams");
  } catch (error) {
    if (!(error instanceof SignInFailed)) throw error;
  }
  return (Array.isArray(rows) ? rows : []).flatMap((row) => {
    const [id, slug] = [textIn(row, "id"), textIn(row, "slug")];
    return id === undefined ? [] : [{ team_id: id, team_slug: slug ?? id, name: textIn(row, "name") ?? slug ?? id }];
  });
}

/** The platform documents its paths with ids; a slug is found in the list of the person's teams. */
function* idOfTeam(bearer: Bearer, idOrSlug: string): SignInWork<string> {
  if (isTeamId(idOrSlug)) return idOrSlug;
  const teams = yield* listTeams(bearer);
  return teams.find(({ team_slug: slug }) => slug === idOrSlug)?.team_id ?? idOrSlug;
}

function* readTeam(bearer: Bearer, idOrSlug: string): SignInWork<Team> {
  const target = `/v2/teams/${encodeURIComponent(idOrSlug)}`;
  const answer = yield { origin: mainOf(bearer.endpoint), method: "GET", target, bearer: bearer.token };
  refuse(answer, bearer.endpoint, `the team ${idOrSlug}`);
  const team = teamIn(answer.body);
  if (team === null) throw notTheSystem(answer, bearer.endpoint, "The API");
  return team;
}

function teamIn(body: unknown): Team | null {
  const id = textIn(body, "id");
  if (id === undefined) return null;
  const slug = textIn(body, "slug") ?? id;
  const role = textIn(memberOf(body, "membership"), "role") ?? "";
  return {
    level: levels[role] ?? null,
    ids: { team_id: id, team_slug: slug, team_name: textIn(body, "name") ?? slug },
  };
}

/** An installation's team. Without the right to read teams, the address of a deployment's page contains the slug. */
function* teamOf(bearer: Bearer, teamId: string, isGranted: boolean): SignInWork<Team> {
  const read = isGranted ? yield* readIfAllowed(bearer, `/v2/teams/${encodeURIComponent(teamId)}`) : null;
  const team = read && teamIn(read.body);
  if (team) return team;
  const listed = yield* readIfAllowed(bearer, `/v6/deployments${queryOf({ limit: 1, teamId })}`);
  const [deployment] = [memberOf(listed?.body, "deployments")].flat();
  const slug = /^https:\/\/vercel\.com\/([\w-]+)\//.exec(textIn(deployment, "inspectorUrl") ?? "")?.[1];
  return { level: null, ids: { team_id: teamId, ...(slug === undefined ? {} : { team_slug: slug }) } };
}

/** Null if the token may not read it, or sees nothing there. An invalid token, and a failing system, are refusals. */
function* readIfAllowed(bearer: Bearer, target: string): SignInWork<Answer | null> {
  const answer = yield { origin: mainOf(bearer.endpoint), method: "GET", target, bearer: bearer.token };
  const error = memberOf(answer.body, "error");
  const isDenied = (answer.status === 403 || answer.status === 404) && isObject(error);
  const isOwnMatter = isRefusedToken(answer) || textIn(error, "code") === "integration_configuration_disabled";
  if (isDenied && !isOwnMatter) return null;
  refuse(answer, bearer.endpoint, "the account");
  return answer;
}

/** A failed sign-in is 403 here, like a missing right; a member of the error distinguishes them. */
export function isRefusedToken(answer: Answer): boolean {
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
  if (textIn(error, "code") === "integration_configuration_disabled") {
    throw new SignInFailed("missing_permissions", `The installation is disabled: ${said}`, {
      remedy: "Enable the integration again at the platform; the connection then works as before.",
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

const projectOutOfReach = (project: string, team: string | undefined): SignInFailed =>
  new SignInFailed("missing_permissions", `The token is limited to projects, and "${project}" is none of them.`, {
    remedy:
      team === undefined
        ? "Give `team_id` or `team_slug` of the project's team as well, and check `project_id`."
        : `Check \`project_id\`, and that the project belongs to the team ${team}.`,
  });
