import type { SandboxAnswer } from "../../server/sandbox.ts";
import { badRequest } from "../http/api-error.ts";
import { type ApiRequest, ok, param, type Route } from "../http/api-request.ts";
import { requireProject } from "../projects/find-project.ts";
import { findProduction } from "../projects/project-view.ts";
import type { Deployment, Project } from "../records.ts";
import { moveHost, productionHosts } from "./aliases.ts";
import { say } from "./builds.ts";
import { requireDeployment } from "./find-deployment.ts";

/** The production addresses move to this deployment at once; the project tells how it went, as clients poll for it. */
const point =
  (type: "promote" | "rollback") =>
  (request: ApiRequest): SandboxAnswer => {
    const { world } = request;
    const project = requireProject(request, param(request, 0));
    const deployment = requireDeployment(request, param(request, 1));
    refuse(project, deployment, type);
    const before = findProduction(world, project);
    for (const host of productionHosts(world, deployment)) moveHost(world, host, deployment);
    const now = world.clock.now();
    deployment.aliasAssignedAt ??= now;
    project.lastAliasRequest = {
      type,
      fromDeploymentId: before?.id ?? null,
      toDeploymentId: deployment.id,
      jobStatus: "succeeded",
      requestedAt: now,
    };
    say(world, type === "promote" ? "deployment.promoted" : "deployment.rollback", deployment);
    return { status: 201, body: {} };
  };

function refuse(project: Project, { projectId, readyState, target }: Deployment, type: string): void {
  if (projectId !== project.id) throw badRequest("The deployment does not belong to the project.");
  if (readyState !== "READY") throw badRequest(`A deployment must be READY to ${type}; it is ${readyState}.`);
  if (target !== "production") throw badRequest(`Only production deployments can be used to ${type}.`);
}

function listPromoteAliases(request: ApiRequest): SandboxAnswer {
  const { world } = request;
  const project = requireProject(request, param(request, 0));
  const current = findProduction(world, project);
  const aliases = (current?.alias ?? []).map((alias) => ({ status: "completed", alias, id: alias }));
  return ok({ aliases, pagination: { count: aliases.length, next: null, prev: null } });
}

const common = { resource: "deployment", bucket: "other_per_minute" } as const;
const one = "/projects/{projectId}";

export const promoteRoutes: Route[] = [
  {
    ...common,
    method: "POST",
    path: `${one}/promote/{deploymentId}`,
    action: "update",
    handle: point("promote"),
  },
  { ...common, method: "GET", path: `${one}/promote/aliases`, action: "list", handle: listPromoteAliases },
  { ...common, method: "POST", path: `${one}/rollback/{deploymentId}`, action: "update", handle: point("rollback") },
];
