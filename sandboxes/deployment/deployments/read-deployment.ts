import type { SandboxAnswer } from "../../door/sandbox.ts";
import { seesProject } from "../accounts/caller.ts";
import { type ApiRequest, ok, param } from "../http/api-request.ts";
import { readFlag } from "../http/read-query.ts";
import { viewDeployment, viewPublicDeployment } from "./deployment-view.ts";
import { findDeployment, requireDeployment } from "./find-deployment.ts";

export function readDeployment(request: ApiRequest): SandboxAnswer {
  const { world, owner, caller, query } = request;
  const found = findDeployment(request, param(request, 0));
  const isOwn = found?.ownerId === owner.id && seesProject(caller, found.projectId);
  if (found?.isPublic && !isOwn) return ok(viewPublicDeployment(world, found));
  const deployment = requireDeployment(request, param(request, 0));
  const view = viewDeployment(world, deployment);
  const link = world.projects.find(deployment.projectId)?.link;
  if (!readFlag(query, "withGitRepoInfo") || !link) return ok(view);
  const { org, repo, repoId, type } = link;
  const gitRepo = {
    namespace: org,
    org,
    repo,
    repoId,
    type: type === "github-limited" ? "github" : type,
    name: repo,
    path: `${org}/${repo}`,
    defaultBranch: "main",
    private: true,
    ownerType: "team",
  };
  return ok({ ...view, gitRepo });
}

/** What the vendor's command line asks for beside the detail. */
export function listBuilds(request: ApiRequest): SandboxAnswer {
  requireDeployment(request, param(request, 0));
  return ok({ builds: [] });
}

export function listAliases(request: ApiRequest): SandboxAnswer {
  const deployment = requireDeployment(request, param(request, 0));
  const aliases = deployment.alias.map((alias) => ({
    uid: `${deployment.id}:${alias}`,
    alias,
    created: new Date(deployment.aliasAssignedAt ?? deployment.createdAt).toISOString(),
    redirect: null,
  }));
  return ok({ aliases });
}
