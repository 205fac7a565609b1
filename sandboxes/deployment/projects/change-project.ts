import type { SandboxAnswer } from "../../server/sandbox.ts";
import { ApiError, conflict, refuseByName } from "../http/api-error.ts";
import { type ApiRequest, noContent, ok, param } from "../http/api-request.ts";
import { readBody } from "../http/read-body.ts";
import type { Project } from "../records.ts";
import { findProjectByName } from "../world.ts";
import { requireProject } from "./find-project.ts";
import { updateProjectFields } from "./project-fields.ts";
import { requireProjectName } from "./project-name.ts";
import { viewProject } from "./project-view.ts";

/** Only the keys that were sent change. */
export function updateProject(request: ApiRequest): SandboxAnswer {
  const { world, owner } = request;
  const project = requireProject(request, param(request, 0));
  const body = readBody(request.call, updateProjectFields);
  if ((body.passwordProtection || body.trustedIps) && owner.plan !== "enterprise") {
    throw new ApiError(428, "precondition_required", "Advanced Deployment Protection is not part of this plan.");
  }
  const { name, framework, nodeVersion, directoryListing, ...settings } = body;
  if (name !== undefined && name !== project.name) rename(request, project, requireProjectName(String(name)));
  if (framework !== undefined) project.framework = framework as string | null;
  if (nodeVersion !== undefined) project.nodeVersion = String(nodeVersion);
  if (directoryListing !== undefined) project.directoryListing = directoryListing === true;
  Object.assign(project.settings, settings);
  project.updatedAt = world.clock.now();
  return ok(viewProject(world, project));
}

function rename(request: ApiRequest, project: Project, name: string): void {
  const { world, owner } = request;
  refuseByName(name, world.clock.now());
  if (findProjectByName(world, owner.id, name)) {
    throw conflict(`A project with the name "${name}" already exists. Choose another name.`);
  }
  const previousName = project.name;
  project.name = name;
  tell(request, "project.renamed", project, { project: { id: project.id, name }, previousName });
}

/** Takes its deployments, variables and domains along; 204 without a body. */
export function deleteProject(request: ApiRequest): SandboxAnswer {
  const { world, builds } = request;
  const project = requireProject(request, param(request, 0));
  for (const deployment of [...(world.deploymentsOf.get(project.id)?.newestFirst() ?? [])]) {
    builds.abandon(deployment);
    deployment.deletedAt ??= world.clock.now();
    world.deployments.remove(deployment);
    for (const host of [deployment.url, ...deployment.alias]) world.deploymentIdOfHost.delete(host);
  }
  world.deploymentsOf.delete(project.id);
  removeOf(world.envVariables, project.id);
  removeOf(world.projectDomains, project.id);
  world.projects.remove(project);
  tell(request, "project.removed", project, { project: { id: project.id, name: project.name } });
  return noContent;
}

function removeOf<T extends { projectId: string }>(
  records: { newestFirst(): Iterable<T>; remove(record: T): void },
  projectId: string,
): void {
  for (const record of [...records.newestFirst()]) if (record.projectId === projectId) records.remove(record);
}

export function tell(request: ApiRequest, type: string, project: Project, details: object): void {
  const { world, owner, caller } = request;
  const at = world.clock.now();
  world.announce({ type, at, ownerId: owner.id, userId: caller.user.id, project, deployment: null, details });
}
