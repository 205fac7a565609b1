import type { Identity } from "../../account.ts";
import { memberOf, SignInFailed, type SignInWork, textIn } from "../../sign-in.ts";
import { type Bearer, queryOf, readIfAllowed } from "./read-if-allowed.ts";
import type { TeamScope } from "./teams.ts";

/** The projects that an account is limited to. */

export const projectsMax = 50;
const listedMax = 100;

export interface Project {
  id: string;
  name: string;
  ownerId: string | null;
}

const projectsIn = (body: unknown): Project[] => {
  const rows = memberOf(body, "projects");
  return (Array.isArray(rows) ? rows : []).slice(0, listedMax).flatMap((row) => {
    const id = textIn(row, "id");
    return id === undefined ? [] : [{ id, name: textIn(row, "name") ?? id, ownerId: textIn(row, "accountId") ?? null }];
  });
};

/** Null if the token may not list them. */
export function* listProjects(bearer: Bearer, scope: TeamScope): SignInWork<Project[] | null> {
  const answer = yield* readIfAllowed(bearer, `/v9/projects${queryOf({ limit: listedMax, ...scope })}`);
  return answer && projectsIn(answer.body);
}

/** The ids of the projects that an installation is limited to; null if it reaches all. */
export function chosenProjects(configuration: unknown): string[] | null {
  const projects = memberOf(configuration, "projects");
  if (textIn(configuration, "projectSelection") === "all" || !Array.isArray(projects)) return null;
  return projects.filter((id) => typeof id === "string");
}

export function namedProjects(ids: readonly string[], listed: readonly Project[]): Project[] {
  const known = new Map(listed.map((each) => [each.id, each]));
  return ids.map((id) => known.get(id) ?? { id, name: id, ownerId: null });
}

const shown = (projects: readonly Project[]) =>
  projects.slice(0, projectsMax).map(({ id, name }) => ({ project_id: id, name }));

export const limitedTo = (projects: readonly Project[]): Pick<Identity, "projects" | "projects_total"> => ({
  projects: shown(projects),
  projects_total: projects.length,
});

/** The platform lists what an installation may see, and does not say whether that is everything. */
export const reachOf = (projects: readonly Project[]): Pick<Identity, "project_selection" | "projects_in_reach"> => ({
  project_selection: "not_known",
  projects_in_reach: shown(projects),
});

export function* readProject(
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

const projectOutOfReach = (project: string, team: string | undefined): SignInFailed =>
  new SignInFailed("missing_permissions", `The token is limited to projects, and "${project}" is none of them.`, {
    remedy:
      team === undefined
        ? "Give `team_id` or `team_slug` of the project's team as well, and check `project_id`."
        : `Check \`project_id\`, and that the project belongs to the team ${team}.`,
  });
