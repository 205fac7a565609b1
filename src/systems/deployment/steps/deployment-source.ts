import { failed } from "../../fail-step.ts";
import { type Answer, StepFailed } from "../../work.ts";
import { isRecord, textIn } from "../protocol/platform-records.ts";

/** The `gitSource` of a deployment, from the repository that the project is linked to. */
export function gitSourceOf(project: Answer, branch: string | undefined, sha: string | undefined): object {
  const link = isRecord(project.body) && isRecord(project.body.link) ? project.body.link : null;
  const name = textIn(project.body, "name") ?? "The project";
  if (link === null) throw noRepository(name);
  const ref = branch ?? textIn(link, "productionBranch") ?? "main";
  const repository = repositoryOf(link);
  if (repository === null) throw noRepository(name);
  return { ...repository, ref, ...(sha !== undefined && { sha }) };
}

/** "take ids from the project's `link`": each provider names its repositories differently. */
function repositoryOf(link: Record<string, unknown>): object | null {
  const type = textIn(link, "type");
  const given = (value: unknown) => value !== undefined && value !== null && value !== "";
  if (type === "github" || type === "github-limited") {
    if (given(link.repoId)) return { type: "github", repoId: link.repoId };
    return given(link.org) && given(link.repo) ? { type: "github", org: link.org, repo: link.repo } : null;
  }
  if (type === "gitlab") return given(link.projectId) ? { type, projectId: link.projectId } : null;
  if (type !== "bitbucket") return null;
  if (given(link.uuid)) {
    return { type, repoUuid: link.uuid, ...(given(link.workspaceUuid) && { workspaceUuid: link.workspaceUuid }) };
  }
  return given(link.owner) && given(link.slug) ? { type, owner: link.owner, slug: link.slug } : null;
}

function noRepository(name: string): StepFailed {
  const detail = `No linked repository: the project "${name}" is not connected to one, so there is no branch to deploy.`;
  const remedy =
    "Link a repository to the project at the platform, or deploy `files`, or name an earlier deployment in `redeploy_of`.";
  return new StepFailed(failed("invalid_there", "give up", detail, { remedy }), null);
}
