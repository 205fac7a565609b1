import type { SandboxAnswer } from "../../server/sandbox.ts";
import { notAllowed } from "../accounts/caller.ts";
import { ApiError, badRequest, refuseByName } from "../http/api-error.ts";
import { type ApiRequest, ok } from "../http/api-request.ts";
import { type Body, readBody } from "../http/read-body.ts";
import { readFlag } from "../http/read-query.ts";
import { newHostWord, newId } from "../ids.ts";
import { addProject } from "../projects/create-project.ts";
import { requireProject } from "../projects/find-project.ts";
import { requireProjectName } from "../projects/project-name.ts";
import type { Deployment, Project, Target } from "../records.ts";
import { findProjectByName, keepDeployment } from "../world.ts";
import { deploymentFields } from "./deployment-fields.ts";
import { readSource } from "./deployment-source.ts";
import { viewDeployment } from "./deployment-view.ts";
import { fateOf } from "./fate.ts";
import { requireDeployment } from "./find-deployment.ts";

/** Not idempotent, as at the vendor: the same body twice makes two deployments. */
export function createDeployment(request: ApiRequest): SandboxAnswer {
  const { call, world, query, builds } = request;
  const body = readBody(call, deploymentFields);
  readFlag(query, "forceNew");
  const meta = readMeta(body);
  const target = readTarget(body);
  const chosen = chooseProject(request, body);
  const source = readSource(request, body, chosen);
  if (chosen === null) refuseNewProject(request, body);
  const project = chosen ?? addProject(request, { name: requireProjectName(String(body.name)) });
  const allMeta = { ...source.meta, ...gitMetadataOf(body), ...meta };
  const deployment = keepDeployment(world, {
    ...newDeployment(request, project, String(body.name)),
    target,
    source: typeof body.source === "string" ? body.source : source.source,
    files: source.files ?? [],
    gitSource: source.gitSource,
    meta: allMeta,
    projectSettings: settingsOf(project, body),
    fate: fateOf([project.name, allMeta.githubCommitRef]),
  });
  builds.enqueue(deployment);
  return ok(viewDeployment(world, deployment));
}

/** "The `projectSettings` object is required for new projects", unless detection of the framework is confirmed. */
function refuseNewProject({ caller, query }: ApiRequest, body: Body): void {
  if (caller.token.projects) throw notAllowed();
  if (body.projectSettings !== undefined || readFlag(query, "skipAutoDetectionConfirmation")) return;
  throw new ApiError(
    400,
    "missing_project_settings",
    "The `projectSettings` object is required for new projects, but is missing in the deployment payload",
    { extra: { framework: { name: "Other", slug: null } } },
  );
}

/** `project` decides; then the redeployed one's project; then the project of that `name`, which is made if need be. */
function chooseProject(request: ApiRequest, body: Body): Project | null {
  const { world, owner } = request;
  if (typeof body.project === "string") return requireProject(request, body.project);
  if (typeof body.deploymentId === "string") {
    const earlier = requireDeployment(request, body.deploymentId);
    return world.projects.find(earlier.projectId);
  }
  const name = String(body.name);
  refuseByName(name, world.clock.now());
  return findProjectByName(world, owner.id, name) && requireProject(request, name);
}

/** Preview is said by leaving `target` out; the word itself is refused, as at the vendor. */
function readTarget({ target, customEnvironmentSlugOrId }: Body): Target {
  if (customEnvironmentSlugOrId !== undefined) throw badRequest("The custom environment does not exist.");
  if (target === undefined) return null;
  if (target === "production" || target === "staging") return target;
  throw badRequest(
    'Invalid request: `target` should be "production", "staging" or a custom environment; omit it for a preview.',
  );
}

function readMeta({ meta = {} }: Body): Record<string, string> {
  for (const [name, value] of Object.entries(meta as object)) {
    if (typeof value !== "string") throw badRequest(`Invalid request: \`meta.${name}\` should be string.`);
    if (value.length > 65_536) throw badRequest(`Invalid request: \`meta.${name}\` is too long.`);
  }
  return meta as Record<string, string>;
}

/** What a client tells of the commit it deploys files from, under the names the list can be filtered by. */
function gitMetadataOf({ gitMetadata }: Body): Record<string, string> {
  const { commitRef, commitSha, commitMessage } = (gitMetadata ?? {}) as Record<string, string | undefined>;
  return {
    ...(commitRef !== undefined && { githubCommitRef: commitRef }),
    ...(commitSha !== undefined && { githubCommitSha: commitSha }),
    ...(commitMessage !== undefined && { githubCommitMessage: commitMessage }),
  };
}

function settingsOf(project: Project, body: Body): Record<string, unknown> {
  const { framework, nodeVersion, settings } = project;
  const kept = Object.fromEntries(
    ["buildCommand", "devCommand", "installCommand", "outputDirectory", "rootDirectory"].map((name) => [
      name,
      settings[name] ?? null,
    ]),
  );
  return { framework, nodeVersion, ...kept, ...(body.projectSettings as object | undefined) };
}

function newDeployment({ world, owner, caller }: ApiRequest, project: Project, name: string): Deployment {
  const { chance } = world;
  const envKeys = [...world.envVariables.newestFirst()].filter(({ projectId }) => projectId === project.id);
  return {
    id: newId(chance, "dpl_", 28),
    createdAt: world.deployments.freeMoment(world.clock.now()),
    ownerId: owner.id,
    projectId: project.id,
    creatorId: caller.user.id,
    name,
    url: `${hostName(name)}-${newHostWord(chance)}-${owner.slug}.vercel.app`,
    target: null,
    source: "cli",
    meta: {},
    gitSource: null,
    projectSettings: {},
    envKeys: [...new Set(envKeys.map(({ key }) => key))].sort(),
    files: [],
    isPublic: project.settings.publicSource === true,
    readyState: "QUEUED",
    isWaitingForSlot: false,
    bootedAt: null,
    buildingAt: null,
    readyAt: null,
    failedAt: null,
    canceledAt: null,
    deletedAt: null,
    aliasAssignedAt: null,
    alias: [],
    aliasError: null,
    fate: fateOf([]),
    buildMilliseconds: 0,
  };
}

const hostName = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40);
