import { assignAliases } from "./deployments/aliases.ts";
import { fateOf } from "./deployments/fate.ts";
import { type Chance, newHex, newHostWord, newId, pick } from "./ids.ts";
import type { Deployment, Project, ReadyState } from "./records.ts";
import { keepDeployment, requireOwner, type World } from "./world.ts";

const branches = ["main", "main", "main", "feature/checkout", "feature/search", "fix/header", "chore/deps"];
const deploymentsPerProject = 12;
const day = 86_400_000;

/** A history for every project: mostly READY, some failed or cancelled, over the last ninety days. */
export function seedDeployments(world: World, chance: Chance, creators: string[], today: number) {
  const projects = [...world.projects.newestFirst()].reverse();
  let deploymentId = "";
  let failedDeploymentId = "";
  for (const [projectIndex, project] of projects.entries()) {
    for (let index = 0; index < deploymentsPerProject; index++) {
      const daysAgo = 90 - (index * 89) / (deploymentsPerProject - 1);
      const at = today - daysAgo * day + projectIndex * 61_000 + chance.below(50_000);
      const isLast = index === deploymentsPerProject - 1;
      const deployment = past({ world, chance, project, creators }, Math.floor(at), isLast);
      if (projectIndex === 0 && deployment.readyState === "READY") deploymentId = deployment.id;
      if (deployment.readyState === "ERROR") failedDeploymentId ||= deployment.id;
    }
  }
  return { deploymentId, failedDeploymentId };
}

interface Maker {
  world: World;
  chance: Chance;
  project: Project;
  creators: string[];
}

function past({ world, chance, project, creators }: Maker, at: number, isLast: boolean) {
  const ref = isLast ? "main" : pick(chance, branches);
  const roll = chance.below(20);
  const isDoomed = fateOf([project.name]).end === "error";
  const state: ReadyState = isDoomed || roll === 0 ? "ERROR" : roll === 1 && !isLast ? "CANCELED" : "READY";
  const createdAt = world.deployments.freeMoment(at);
  const buildMilliseconds = 5000 + chance.below(40_000);
  const endedAt = createdAt + 3000 + buildMilliseconds;
  const { slug } = requireOwner(world, project.ownerId);
  const isTeam = world.teams.find(project.ownerId) !== null;
  const sha = newHex(chance, 40);
  const deployment: Deployment = {
    id: newId(chance, "dpl_", 28),
    createdAt,
    ownerId: project.ownerId,
    projectId: project.id,
    creatorId: isTeam ? pick(chance, creators) : project.ownerId,
    name: project.name,
    url: `${project.name}-${newHostWord(chance)}-${slug}.vercel.app`,
    target: ref === "main" ? "production" : null,
    source: project.link ? "git" : "cli",
    meta: project.link ? gitMeta(project, ref, sha) : {},
    gitSource: project.link ? { type: "github", repoId: project.link.repoId, ref, sha } : null,
    projectSettings: { framework: project.framework, nodeVersion: project.nodeVersion },
    envKeys: [],
    files: [],
    isPublic: false,
    readyState: state,
    isWaitingForSlot: false,
    bootedAt: createdAt + 2000,
    buildingAt: createdAt + 3000,
    readyAt: state === "READY" ? endedAt : null,
    failedAt: state === "ERROR" ? endedAt : null,
    canceledAt: state === "CANCELED" ? createdAt + 6000 : null,
    deletedAt: null,
    aliasAssignedAt: null,
    alias: [],
    aliasError: null,
    fate: { end: state === "ERROR" ? "error" : "ready", isSlow: false, aliasFails: false },
    buildMilliseconds,
  };
  keepDeployment(world, deployment);
  if (state === "READY") {
    assignAliases(world, deployment);
    deployment.aliasAssignedAt = endedAt + 1000;
  }
  return deployment;
}

function gitMeta({ link, name }: Project, ref: string, sha: string): Record<string, string> {
  return {
    githubCommitAuthorName: "Ann Archer",
    githubCommitMessage: `Work on ${name}`,
    githubCommitOrg: link?.org ?? "",
    githubCommitRef: ref,
    githubCommitRepo: link?.repo ?? "",
    githubCommitSha: sha,
    githubDeployment: "1",
    githubOrg: link?.org ?? "",
    githubRepo: link?.repo ?? "",
    githubRepoId: String(link?.repoId ?? ""),
  };
}
