import type { Deployment } from "../records.ts";
import { requireOwner, type World } from "../world.ts";

const region = "iad1";

/** The detail object: read, create and cancel all answer it. Its state is told twice, and `ready` is a time. */
export function viewDeployment(world: World, deployment: Deployment): object {
  const owner = requireOwner(world, deployment.ownerId);
  const project = world.projects.find(deployment.projectId);
  const { team } = owner;
  return {
    ...viewPublicDeployment(world, deployment),
    build: { env: deployment.envKeys },
    env: deployment.envKeys,
    inspectorUrl: inspectorUrl(world, deployment),
    isInConcurrentBuildsQueue: deployment.isWaitingForSlot,
    isInSystemBuildsQueue: false,
    projectSettings: deployment.projectSettings,
    projectId: deployment.projectId,
    plan: owner.plan,
    createdIn: region,
    ownerId: deployment.ownerId,
    routes: [],
    source: deployment.source,
    ...(deployment.gitSource && { gitSource: deployment.gitSource }),
    ...(project && { project: { id: project.id, name: project.name, framework: project.framework } }),
    ...(team && { team: { id: team.id, name: team.name, slug: team.slug } }),
  };
}

/** What a stranger sees of a public deployment. */
export function viewPublicDeployment(world: World, deployment: Deployment): object {
  const creator = world.users.find(deployment.creatorId);
  return {
    id: deployment.id,
    url: deployment.url,
    name: deployment.name,
    version: 2,
    type: "LAMBDAS",
    readyState: deployment.readyState,
    status: deployment.readyState,
    ...readySubstate(deployment),
    target: deployment.target,
    createdAt: deployment.createdAt,
    bootedAt: deployment.bootedAt ?? deployment.createdAt,
    buildingAt: deployment.buildingAt ?? deployment.createdAt,
    ...(deployment.readyAt !== null && { ready: deployment.readyAt }),
    ...(deployment.canceledAt !== null && { canceledAt: deployment.canceledAt }),
    ...(deployment.failedAt !== null && { buildErrorAt: deployment.failedAt, ...failure, errorStep: "buildStep" }),
    buildSkipped: false,
    creator: { uid: deployment.creatorId, ...(creator && { username: creator.username }) },
    public: deployment.isPublic,
    meta: deployment.meta,
    regions: [region],
    alias: deployment.alias,
    aliasAssigned: deployment.aliasAssignedAt !== null,
    aliasError: deployment.aliasError,
  };
}

/** The list's item: `uid` for the id, `state` beside `readyState`, and `aliasAssigned` as a time. */
export function viewDeploymentItem(world: World, deployment: Deployment): object {
  const creator = world.users.find(deployment.creatorId);
  const state = deployment.deletedAt === null ? deployment.readyState : "DELETED";
  return {
    uid: deployment.id,
    name: deployment.name,
    projectId: deployment.projectId,
    url: deployment.url,
    created: deployment.createdAt,
    createdAt: deployment.createdAt,
    ...(deployment.buildingAt !== null && { buildingAt: deployment.buildingAt }),
    ...(deployment.readyAt !== null && { ready: deployment.readyAt }),
    ...(deployment.deletedAt !== null && { deleted: deployment.deletedAt }),
    ...(deployment.failedAt !== null && failure),
    state,
    readyState: state,
    ...readySubstate(deployment),
    type: "LAMBDAS",
    target: deployment.target,
    source: deployment.source,
    creator: { uid: deployment.creatorId, ...(creator && { email: creator.email, username: creator.username }) },
    meta: deployment.meta,
    aliasAssigned: deployment.aliasAssignedAt,
    aliasError: deployment.aliasError,
    isRollbackCandidate: isRollbackCandidate(deployment),
    inspectorUrl: inspectorUrl(world, deployment),
    projectSettings: deployment.projectSettings,
  };
}

const failure = { errorCode: "BUILD_UTILS_SPAWN_1", errorMessage: 'Command "npm run build" exited with 1' };

export const isRollbackCandidate = ({ target, readyState }: Deployment) =>
  target === "production" && readyState === "READY";

function readySubstate({ target, readyState, aliasAssignedAt }: Deployment) {
  if (target !== "production" || readyState !== "READY") return {};
  return { readySubstate: aliasAssignedAt === null ? "STAGED" : "PROMOTED" };
}

export function inspectorUrl(world: World, { ownerId, projectId, name, id }: Deployment): string {
  const project = world.projects.find(projectId)?.name ?? name;
  return `https://vercel.com/${requireOwner(world, ownerId).slug}/${project}/${id.replace(/^dpl_/, "")}`;
}
