import type { Deployment, Project } from "../records.ts";
import { requireOwner, type World } from "../world.ts";
import { repositoryId } from "./repository-id.ts";

const latestShown = 5;

export function viewProject(world: World, project: Project): object {
  const { link, settings } = project;
  const { resourceConfig, passwordProtection: _secret, ...shown } = settings;
  const region = settings.serverlessFunctionRegion ?? "iad1";
  const latest = [...take(world.deploymentsOf.get(project.id)?.newestFirst() ?? [], latestShown)];
  const production = findProduction(world, project);
  return {
    id: project.id,
    name: project.name,
    accountId: project.ownerId,
    createdAt: project.createdAt,
    updatedAt: project.updatedAt,
    buildCommand: null,
    devCommand: null,
    installCommand: null,
    outputDirectory: null,
    rootDirectory: null,
    ...shown,
    framework: project.framework,
    nodeVersion: project.nodeVersion,
    directoryListing: project.directoryListing,
    live: false,
    serverlessFunctionRegion: region,
    resourceConfig: { functionDefaultRegions: [region], fluid: true, ...(resourceConfig as object | undefined) },
    defaultResourceConfig: { functionDefaultRegions: ["iad1"] },
    deploymentExpiration: { expirationDays: 36_500, deploymentsToKeep: 10 },
    ...(link && { link: viewLink(link) }),
    ...(project.lastAliasRequest && { lastAliasRequest: project.lastAliasRequest }),
    alias: viewAliases(production),
    latestDeployments: latest.map((deployment) => viewSmallDeployment(world, deployment)),
    targets: production ? { production: viewSmallDeployment(world, production) } : {},
  };
}

function viewLink({ type, org, repo, repoId, createdAt }: NonNullable<Project["link"]>): object {
  const common = {
    type,
    productionBranch: "main",
    gitCredentialId: "cred_sandbox",
    sourceless: false,
    deployHooks: [],
    createdAt,
    updatedAt: createdAt,
  };
  if (type === "gitlab") {
    return {
      ...common,
      projectId: String(repoId),
      projectName: repo,
      projectNamespace: org,
      projectNameWithNamespace: `${org}/${repo}`,
      projectUrl: `https://gitlab.com/${org}/${repo}.git`,
    };
  }
  if (type === "bitbucket") {
    return { ...common, owner: org, slug: repo, name: repo, uuid: String(repoId), workspaceUuid: `w-${repoId}` };
  }
  return { ...common, org, repo, repoId, repoOwnerId: repositoryId(org) };
}

/** What the production address points to, or the newest production deployment that is served. */
export function findProduction(world: World, project: Project): Deployment | null {
  const own = `${project.name}-${requireOwner(world, project.ownerId).slug}.vercel.app`;
  const current = world.deployments.find(world.deploymentIdOfHost.get(own) ?? "");
  if (current?.projectId === project.id && current.deletedAt === null) return current;
  for (const deployment of world.deploymentsOf.get(project.id)?.newestFirst() ?? []) {
    if (deployment.target === "production" && deployment.aliasAssignedAt !== null && deployment.deletedAt === null) {
      return deployment;
    }
  }
  return null;
}

const viewAliases = (production: Deployment | null) =>
  (production?.alias ?? []).map((domain) => ({
    domain,
    environment: "production",
    target: "PRODUCTION",
    configuredBy: "A",
    deployment: null,
  }));

function viewSmallDeployment(world: World, deployment: Deployment): object {
  const creator = world.users.find(deployment.creatorId);
  const owner = requireOwner(world, deployment.ownerId);
  return {
    id: deployment.id,
    name: deployment.name,
    url: deployment.url,
    deploymentHostname: deployment.url.split(".")[0],
    alias: deployment.alias,
    aliasAssigned: deployment.aliasAssignedAt,
    builds: [],
    createdAt: deployment.createdAt,
    createdIn: "iad1",
    creator: creator && { uid: creator.id, email: creator.email, username: creator.username },
    meta: deployment.meta,
    plan: owner.plan,
    private: !deployment.isPublic,
    readyState: deployment.readyState,
    target: deployment.target,
    teamId: owner.team?.id ?? null,
    type: "LAMBDAS",
    userId: deployment.creatorId,
    withCache: false,
  };
}

function* take(deployments: Iterable<Deployment>, count: number) {
  let taken = 0;
  for (const deployment of deployments) {
    if (deployment.deletedAt !== null) continue;
    if (taken++ === count) return;
    yield deployment;
  }
}
