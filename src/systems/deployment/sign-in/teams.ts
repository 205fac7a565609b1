import type { AccessLevel, Identity } from "../../account.ts";
import { memberOf, notTheSystem, SignInFailed, type SignInWork, textIn } from "../../sign-in.ts";
import { type Bearer, mainOf, queryOf, readIfAllowed, refuse } from "./read-if-allowed.ts";

/** The team that an account acts for, and its level there. */

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

export interface Team {
  level: AccessLevel | null;
  ids: Pick<Identity, "team_id" | "team_slug" | "team_name">;
}

/** A team in a query, by its id or its slug. */
export type TeamScope = {
  teamId?: string | undefined;
  slug?: string | undefined;
};

const teamsMax = 100;

export const isTeamId = (text: string): boolean => text.startsWith("team_");

/** They only help a person to choose, so no answer to this is a refusal. */
export function* listTeams({ token, endpoint }: Bearer): SignInWork<NonNullable<Identity["teams"]>> {
  const target = `/v2/teams?limit=${teamsMax}`;
  let rows: unknown = [];
  try {
    const answer = yield { origin: mainOf(endpoint), method: "GET", target, bearer: token };
    if (answer.status < 300) rows = memberOf(answer.body, "teams");
  } catch (error) {
    if (!(error instanceof SignInFailed)) throw error;
  }
  return (Array.isArray(rows) ? rows : []).slice(0, teamsMax).flatMap((row) => {
    const [id, slug] = [textIn(row, "id"), textIn(row, "slug")];
    return id === undefined ? [] : [{ team_id: id, team_slug: slug ?? id, name: textIn(row, "name") ?? slug ?? id }];
  });
}

/** The platform documents its paths with ids; a slug is found in the list of the person's teams. */
export function* idOfTeam(bearer: Bearer, idOrSlug: string): SignInWork<string> {
  if (isTeamId(idOrSlug)) return idOrSlug;
  const teams = yield* listTeams(bearer);
  return teams.find(({ team_slug: slug }) => slug === idOrSlug)?.team_id ?? idOrSlug;
}

export function* readTeam(bearer: Bearer, idOrSlug: string): SignInWork<Team> {
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
export function* teamOf(bearer: Bearer, teamId: string, isGranted: boolean): SignInWork<Team> {
  const read = isGranted ? yield* readIfAllowed(bearer, `/v2/teams/${encodeURIComponent(teamId)}`) : null;
  const team = read && teamIn(read.body);
  if (team) return team;
  const listed = yield* readIfAllowed(bearer, `/v6/deployments${queryOf({ limit: 1, teamId })}`);
  const [deployment] = [memberOf(listed?.body, "deployments")].flat();
  const slug = /^https:\/\/vercel\.com\/([\w-]+)\//.exec(textIn(deployment, "inspectorUrl") ?? "")?.[1];
  return { level: null, ids: { team_id: teamId, ...(slug === undefined ? {} : { team_slug: slug }) } };
}
