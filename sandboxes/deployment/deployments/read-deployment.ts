import type { SandboxAnswer } from "../../server/sandbox.ts";
import { seesProject } from "../accounts/caller.ts";
import { type ApiRequest, ok, param } from "../http/api-request.ts";
import { readFlag } from "../http/read-query.ts";
import { repositoryId } from "../projects/repository-id.ts";
import type { Link } from "../records.ts";
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
  return ok({ ...view, gitRepo: viewRepository(link) });
}

/** Each provider has its own words for it. */
function viewRepository({ org, repo, repoId, type }: Link): Record<string, unknown> {
  const path = `${org}/${repo}`;
  const common = { name: repo, path, defaultBranch: "main", private: true, ownerType: "team" };
  if (type === "gitlab") {
    return { ...common, type, projectId: repoId, namespace: org, url: `https://gitlab.com/${path}.git` };
  }
  if (type === "bitbucket") {
    return { ...common, type, owner: org, slug: repo, repoUuid: String(repoId), workspaceUuid: `w-${repoId}` };
  }
  return { ...common, type: "github", org, repo, repoId, repoOwnerId: repositoryId(org) };
}

/** What the vendor's command line asks for beside the detail. */
export function listBuilds(request: ApiRequest): SandboxAnswer {
  requireDeployment(request, param(request, 0));
  return ok({ builds: [] });
}
