import type { SandboxAnswer } from "../../server/sandbox.ts";
import { ApiError, notFound } from "../http/api-error.ts";
import { type ApiRequest, ok, param } from "../http/api-request.ts";
import { pageOf, readPageWish } from "../http/pages.ts";
import { readWord } from "../http/read-query.ts";
import type { Membership, Role, Team } from "../records.ts";
import { findMembership, requireOwner, type World } from "../world.ts";
import { type Caller, findTeamBySlug, reaches, requireRight, wrongScope } from "./caller.ts";

/** Roles that can be asked for; nobody here has one of the last three. */
const roles: readonly string[] = [
  ...(["OWNER", "MEMBER", "DEVELOPER", "VIEWER", "BILLING"] satisfies Role[]),
  "SECURITY",
  "VIEWER_FOR_PLUS",
  "CONTRIBUTOR",
];

/** Every team of the caller; those that the token does not reach are shown in a few words. */
export function listTeams({ world, caller, query }: ApiRequest): SandboxAnswer {
  const { items, pagination } = pageOf(world.teams, readPageWish(query), (team) =>
    Boolean(findMembership(world, team.id, caller.user.id)?.confirmed),
  );
  return ok({ teams: items.map((team) => viewTeam(world, caller, team)), pagination });
}

export function readTeam(request: ApiRequest): SandboxAnswer {
  const { world, caller } = request;
  return ok(viewTeam(world, caller, requireTeam(request)));
}

export function listMembers(request: ApiRequest): SandboxAnswer {
  const { world, query } = request;
  const team = requireTeam(request);
  const search = query.get("search")?.toLowerCase() ?? "";
  const role = readWord(query, "role", roles);
  const { items, pagination } = pageOf(world.memberships, readPageWish(query), (membership) => {
    if (membership.teamId !== team.id || (role && membership.role !== role)) return false;
    const user = world.users.find(membership.userId);
    return `${user?.name} ${user?.username} ${user?.email}`.toLowerCase().includes(search);
  });
  return ok({
    members: items.map((membership) => viewMember(world, membership)),
    emailInviteCodes: [],
    pagination: { hasNext: pagination.next !== null, ...pagination },
  });
}

/** By id or slug. A stranger's team is refused, an unknown one is not there. */
function requireTeam(request: ApiRequest): Team {
  const { world, caller } = request;
  const idOrSlug = param(request, 0);
  const team = world.teams.find(idOrSlug) ?? findTeamBySlug(world, idOrSlug);
  if (!team) throw notFound("Team");
  if (!findMembership(world, team.id, caller.user.id)?.confirmed) {
    throw new ApiError(403, "team_unauthorized", `You are not a member of the team "${team.slug}".`);
  }
  const owner = requireOwner(world, team.id);
  if (!reaches(caller, team.id)) throw wrongScope(owner);
  requireRight(world, caller, owner, "team", "read");
  return team;
}

function viewTeam(world: World, caller: Caller, team: Team): object {
  const membership = findMembership(world, team.id, caller.user.id);
  const common = {
    id: team.id,
    slug: team.slug,
    name: team.name,
    avatar: null,
    createdAt: team.createdAt,
    membership: membership && viewMembership(membership),
  };
  if (!reaches(caller, team.id)) return { limited: true, limitedBy: ["scope"], ...common };
  return {
    ...common,
    creatorId: team.creatorId,
    updatedAt: team.updatedAt,
    description: team.description,
    stagingPrefix: `${team.slug}-stage`,
    billing: { plan: team.plan, period: null, addons: [] },
    resourceConfig: { concurrentBuilds: world.limits.concurrent_builds },
  };
}

const viewMembership = ({ teamId, userId, role, confirmed, createdAt }: Membership) => ({
  uid: userId,
  teamId,
  role,
  confirmed,
  createdAt,
  created: createdAt,
  accessRequestedAt: createdAt,
});

function viewMember(world: World, { userId, role, confirmed, createdAt }: Membership): object {
  const user = world.users.find(userId);
  return {
    uid: userId,
    email: user?.email,
    username: user?.username,
    name: user?.name,
    role,
    confirmed,
    createdAt,
    accessRequestedAt: createdAt,
  };
}
