import type { SandboxCall } from "../../server/sandbox.ts";
import { ApiError, badRequest, forbidden } from "../http/api-error.ts";
import type { User } from "../records.ts";
import { findMembership, type Owner, requireOwner, type World } from "../world.ts";
import { type Action, mayAsRole, mayWithScopes, missingRight, type Resource } from "./rights.ts";
import type { Token, Tokens } from "./tokens.ts";

/** Who is calling: the person behind the token, and the token with its narrower reach. */
export interface Caller {
  user: User;
  token: Token;
}

/** A failed sign-in is 403 at this vendor, not 401; a key in the body tells the reasons apart. */
export function requireCaller(world: World, tokens: Tokens, call: SandboxCall): Caller {
  const header = call.headers.authorization;
  if (!header) throw forbidden("The request is missing an authentication token", { missingToken: true });
  const value = /^Bearer +(\S+)$/i.exec(header)?.[1];
  const token = value === undefined ? null : tokens.find(value);
  if (!token || isExpired(token, world)) throw forbidden("Not authorized", { invalidToken: true });
  if (token.installation?.disabledAt) {
    throw new ApiError(403, "integration_configuration_disabled", "The integration configuration is disabled.");
  }
  const user = world.users.find(token.userId);
  if (!user) throw forbidden("Not authorized", { invalidToken: true });
  return { user, token };
}

function isExpired(token: Token, world: World): boolean {
  const now = world.clock.now();
  if (token.expiresAt !== null && now >= token.expiresAt) return true;
  const { token_life_seconds: lifeSeconds } = world.limits;
  return token.installation !== null && lifeSeconds > 0 && now >= token.issuedAt + lifeSeconds * 1000;
}

/** `teamId` or `slug` names the team acted for; without them the caller's own account is meant. */
export function requireScope(world: World, caller: Caller, query: URLSearchParams): Owner {
  const teamId = query.get("teamId");
  const slug = query.get("slug");
  if (!teamId && !slug) return ownScope(world, caller);
  const team = teamId ? world.teams.find(teamId) : findTeamBySlug(world, slug ?? "");
  if (team && teamId && slug && team.slug !== slug) throw badRequest("`teamId` and `slug` name different teams.");
  if (!team || !findMembership(world, team.id, caller.user.id)?.confirmed) {
    throw new ApiError(403, "team_unauthorized", `You are not a member of the team "${teamId ?? slug}".`);
  }
  if (!reaches(caller, team.id)) throw wrongScope(requireOwner(world, team.id));
  return requireOwner(world, team.id);
}

function ownScope(world: World, caller: Caller): Owner {
  const owner = requireOwner(world, caller.user.id);
  if (!reaches(caller, owner.id)) throw wrongScope(owner);
  return owner;
}

export function reaches(caller: Caller, ownerId: string): boolean {
  return caller.token.onlyOwnerId === null || caller.token.onlyOwnerId === ownerId;
}

/** An installation on chosen projects, and a token for projects, sees only these. */
export function seesProject({ token }: Caller, projectId: string): boolean {
  const projects = token.projects ?? token.installation?.projects;
  return !projects || projects.includes(projectId);
}

/**
 * "A project-scoped token can only read and write resources belonging to a project that the token is scoped to. Requests
 * to any other project, a user-level resource, or a team-level resource will be denied." Lists of a team's projects and
 * of all its deployments count as the team's.
 */
export function refuseBeyondProjects(
  { token }: Caller,
  { method, path }: { method: string; path: string },
  query: URLSearchParams,
): void {
  if (token.projects === null) return;
  const isOfOne = /^\/(projects|deployments)\/\{/.test(path) || path === "/files";
  const isNamed = method === "POST" || ["projectId", "projectIds", "projectIds[]"].some((name) => query.has(name));
  if (!isOfOne && !(path === "/deployments" && isNamed)) throw notAllowed();
}

/** Without a scope, and beyond a token's projects, the vendor names neither action nor resource. */
export const notAllowed = (): ApiError => forbidden("You don't have permission to access this resource.");

export function wrongScope(owner: Owner): ApiError {
  const hint = "You must re-authenticate to this scope or use a token with access to this scope.";
  return forbidden(`Not authorized: Trying to access resource under scope "${owner.slug}". ${hint}`, {
    saml: false,
    teamId: owner.team?.id ?? null,
    scope: owner.slug,
    enforced: false,
  });
}

export function requireRight(world: World, caller: Caller, owner: Owner, resource: Resource, action: Action): void {
  const { installation } = caller.token;
  if (installation && !mayWithScopes(installation.scopes, resource, action)) throw missingRight(resource, action);
  const role = owner.team ? findMembership(world, owner.team.id, caller.user.id)?.role : "OWNER";
  if (!role || !mayAsRole(role, resource, action)) throw missingRight(resource, action);
}

export function findTeamBySlug(world: World, slug: string) {
  for (const team of world.teams.newestFirst()) if (team.slug === slug) return team;
  return null;
}
