import type { SandboxAnswer } from "../../server/sandbox.ts";
import { badRequest, conflict, notFound } from "../http/api-error.ts";
import { type ApiRequest, ok, param, type Route } from "../http/api-request.ts";
import { readBody } from "../http/read-body.ts";
import type { EnvVariable, Membership } from "../records.ts";
import { findMembership, type World } from "../world.ts";
import { tell } from "./change-project.ts";
import { linkOf } from "./create-project.ts";
import { requireProductionRight } from "./env-create.ts";
import { envTargets, variablesOf } from "./env-rules.ts";
import { requireProject } from "./find-project.ts";
import { viewProject } from "./project-view.ts";

/** What the command line and the newest library ask of a project beside its settings. */

/** `env pull`: what a build or a developer's machine gets, decrypted. Sensitive values are left out of development. */
function pullVariables(request: ApiRequest): SandboxAnswer {
  const { world, params, query } = request;
  const project = requireProject(request, param(request, 0));
  const target = params[1] ?? query.get("target") ?? "development";
  const gitBranch = params[2] ?? query.get("gitBranch");
  if (!(envTargets as readonly string[]).includes(target)) throw badRequest("The custom environment does not exist.");
  const isMeant = (each: EnvVariable) =>
    each.target.some((one) => one === target) && (each.gitBranch === null || each.gitBranch === gitBranch);
  // A variable for the branch is stronger than one for all.
  const meant = variablesOf(world, project.id)
    .filter(isMeant)
    .sort((a, b) => Number(a.gitBranch !== null) - Number(b.gitBranch !== null));
  const env = Object.fromEntries(meant.map(({ key, value, type }) => [key, type === "sensitive" ? "" : value]));
  return ok({ env: { ...env, VERCEL_ENV: target }, buildEnv: { ...env, VERCEL: "1", VERCEL_ENV: target } });
}

function removeVariables(request: ApiRequest): SandboxAnswer {
  const { world, call } = request;
  const project = requireProject(request, param(request, 0));
  const body = readBody(call, { ids: { type: "array", required: true, lengthMax: 1000, items: { type: "string" } } });
  const among = variablesOf(world, project.id);
  const removed = among.filter(({ id }) => (body.ids as string[]).includes(id));
  for (const variable of removed) requireProductionRight(request, variable.target);
  for (const variable of removed) {
    world.envVariables.remove(variable);
    tell(request, "project.env-variable.deleted", project, { envVariable: { id: variable.id, key: variable.key } });
  }
  return ok({ deleted: removed.length, ids: removed.map(({ id }) => id) });
}

function linkRepository(request: ApiRequest): SandboxAnswer {
  const { world, call } = request;
  const project = requireProject(request, param(request, 0));
  const text = { type: "string" } as const;
  const body = readBody(call, {
    type: { ...text, required: true },
    repo: { ...text, required: true },
    gitCredentialId: text,
    sourceless: { type: "boolean" },
  });
  if (project.link) throw conflict("The project is already connected to a Git repository.");
  project.link = linkOf({ type: body.type, repo: body.repo }, world.clock.now());
  project.updatedAt = world.clock.now();
  return ok(viewProject(world, project));
}

function unlinkRepository(request: ApiRequest): SandboxAnswer {
  const { world } = request;
  const project = requireProject(request, param(request, 0));
  if (!project.link) throw badRequest("The project is not connected to a Git repository.");
  project.link = null;
  project.updatedAt = world.clock.now();
  return ok(viewProject(world, project));
}

/** A paused project answers visitors with 503; here it only remembers. */
const setPaused =
  (paused: boolean) =>
  (request: ApiRequest): SandboxAnswer => {
    requireProject(request, param(request, 0)).settings.paused = paused;
    return ok({});
  };

/** A team's members reach all its projects; roles of single projects are not kept apart. */
function listProjectMembers(request: ApiRequest): SandboxAnswer {
  const { world, owner } = request;
  requireProject(request, param(request, 0));
  const members = [...world.memberships.newestFirst()].filter(({ teamId }) => teamId === owner.id);
  const pagination = { hasNext: false, count: members.length, next: null, prev: null };
  return ok({ members: members.map((each) => viewProjectMember(world, each)), pagination });
}

function viewProjectMember(world: World, { userId, role, createdAt }: Membership): object {
  const user = world.users.find(userId);
  const computedProjectRole = role === "OWNER" || role === "MEMBER" ? "ADMIN" : "PROJECT_DEVELOPER";
  return {
    uid: userId,
    email: user?.email,
    username: user?.username,
    name: user?.name,
    role: computedProjectRole,
    computedProjectRole,
    teamRole: role,
    createdAt,
  };
}

function addProjectMember(request: ApiRequest): SandboxAnswer {
  const project = requireProject(request, param(request, 0));
  const text = { type: "string" } as const;
  const body = readBody(request.call, { uid: text, username: text, email: text, role: { ...text, required: true } });
  requireMember(request, String(body.uid ?? body.username ?? body.email ?? ""));
  return ok({ id: project.id });
}

function removeProjectMember(request: ApiRequest): SandboxAnswer {
  const project = requireProject(request, param(request, 0));
  requireMember(request, param(request, 1));
  return ok({ id: project.id });
}

function requireMember({ world, owner }: ApiRequest, named: string): void {
  for (const { id, username, email } of world.users.newestFirst()) {
    if ([id, username, email].includes(named) && findMembership(world, owner.id, id)) return;
  }
  throw notFound("Member");
}

const env = { resource: "projectEnvVars", bucket: "env_list_per_minute", method: "GET", action: "read" } as const;
const change = { resource: "project", bucket: "projects_write_per_minute" } as const;
const one = "/projects/{idOrName}";
const pull = "/env/pull/{idOrName}";

export const projectExtraRoutes: Route[] = [
  ...[pull, `${pull}/{target}`, `${pull}/{target}/{gitBranch}`].map((path) => ({
    ...env,
    path,
    handle: pullVariables,
  })),
  {
    resource: "projectEnvVars",
    bucket: "env_delete_per_minute",
    method: "DELETE",
    path: `${one}/env`,
    action: "delete",
    handle: removeVariables,
  },
  { ...change, method: "POST", path: `${one}/pause`, action: "update", handle: setPaused(true) },
  { ...change, method: "POST", path: `${one}/unpause`, action: "update", handle: setPaused(false) },
  { ...change, method: "POST", path: `${one}/link`, action: "update", handle: linkRepository },
  { ...change, method: "DELETE", path: `${one}/link`, action: "update", handle: unlinkRepository },
  { ...change, method: "GET", path: `${one}/members`, action: "list", handle: listProjectMembers },
  { ...change, method: "POST", path: `${one}/members`, action: "update", handle: addProjectMember },
  { ...change, method: "DELETE", path: `${one}/members/{uid}`, action: "update", handle: removeProjectMember },
];
