import type { Deployment } from "../records.ts";
import { requireOwner, type World } from "../world.ts";

/** Gives a finished deployment its addresses: the production ones move to it, a branch keeps one of its own. */
export function assignAliases(world: World, deployment: Deployment): void {
  if (deployment.fate.aliasFails) {
    deployment.aliasError = { code: "invalid_alias", message: "The alias could not be assigned to the deployment." };
    return;
  }
  deployment.alias =
    deployment.target === "production" ? productionHosts(world, deployment) : [branchHost(world, deployment)];
  deployment.aliasAssignedAt = world.clock.now();
  for (const host of deployment.alias) world.deploymentIdOfHost.set(host, deployment.id);
}

/** An address leaves the deployment that it pointed to. */
export function moveHost(world: World, host: string, deployment: Deployment): void {
  const before = world.deployments.find(world.deploymentIdOfHost.get(host) ?? "");
  if (before) before.alias = before.alias.filter((each) => each !== host);
  deployment.alias = [...deployment.alias.filter((each) => each !== host), host];
  world.deploymentIdOfHost.set(host, deployment.id);
}

export function productionHosts(world: World, { projectId, name, ownerId }: Deployment): string[] {
  const project = world.projects.find(projectId);
  const own = `${project?.name ?? name}-${requireOwner(world, ownerId).slug}.vercel.app`;
  const domains = [...world.projectDomains.newestFirst()].filter(
    (domain) => domain.projectId === projectId && domain.verified && !domain.gitBranch && !domain.redirect,
  );
  return [...domains.map((domain) => domain.name).reverse(), own];
}

function branchHost(world: World, { projectId, name, ownerId, meta, target }: Deployment): string {
  const project = world.projects.find(projectId);
  const branch = (meta.githubCommitRef ?? target ?? "preview").toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return `${project?.name ?? name}-git-${branch}-${requireOwner(world, ownerId).slug}.vercel.app`;
}

/** The live deployment behind an address: its own one, or an alias that points to it now. */
export function findByHost(world: World, host: string): Deployment | null {
  const id = world.deploymentIdOfHost.get(host.toLowerCase());
  return id === undefined ? null : world.deployments.find(id);
}
