import { createHash } from "node:crypto";
import { ApiError, badRequest } from "../http/api-error.ts";
import type { ApiRequest } from "../http/api-request.ts";
import { type Body, checkObject, isObject } from "../http/read-body.ts";
import type { Deployment, Link, Project, SourceFile } from "../records.ts";
import { gitSourceShapes, inlineFileFields, uploadedFileFields } from "./deployment-fields.ts";
import { requireDeployment } from "./find-deployment.ts";
import { fileKey } from "./upload-file.ts";

/** Where a deployment's content comes from: a branch, an earlier deployment, or files. */
export interface DeploymentSource {
  source: Deployment["source"];
  gitSource: Record<string, unknown> | null;
  meta: Record<string, string>;
  files?: SourceFile[];
}

export function readSource(request: ApiRequest, body: Body, project: Project | null): DeploymentSource {
  if (typeof body.deploymentId === "string") return fromEarlier(request, body.deploymentId, body);
  const files = Array.isArray(body.files) ? body.files : [];
  if (!isObject(body.gitSource)) return fromFiles(request, files);
  if (files.length > 0) {
    throw badRequest("Invalid request: `gitSource` cannot be used in combination with `files`.");
  }
  return fromGit(body.gitSource, project);
}

function fromEarlier(request: ApiRequest, id: string, body: Body): DeploymentSource {
  const earlier = requireDeployment(request, id);
  const ref = earlier.meta.githubCommitRef;
  const isNewest = body.withLatestCommit === true && ref !== undefined;
  const sha = isNewest ? commitSha(`${earlier.projectId} ${ref} ${request.world.clock.now()}`) : null;
  return {
    source: "redeploy",
    gitSource: earlier.gitSource && { ...earlier.gitSource, ...(sha && { sha }) },
    meta: { ...earlier.meta, ...(sha && { githubCommitSha: sha }), originalDeploymentId: earlier.id },
    files: [...earlier.files],
  };
}

function fromGit(gitSource: Record<string, unknown>, project: Project | null): DeploymentSource {
  const type = String(gitSource.type);
  const shapes = Object.hasOwn(gitSourceShapes, type) ? gitSourceShapes[type] : undefined;
  if (!shapes)
    throw badRequest(`Invalid request: \`gitSource.type\` should be one of "${Object.keys(gitSourceShapes)}".`);
  const shape = shapes.find(({ key }) => gitSource[key] !== undefined) ?? shapes[0];
  // Unlike the body around it, a source is open: a caller may name its repository in two ways at once.
  if (shape) checkObject(pickKnown(gitSource, shape.fields), shape.fields, "gitSource.");
  const link = project?.link;
  if (!link || !isSameRepository(gitSource, link)) {
    throw badRequest("The project is not linked to the repository given in `gitSource`.");
  }
  const ref = String(gitSource.ref);
  const sha = typeof gitSource.sha === "string" ? gitSource.sha : commitSha(`${link.org}/${link.repo} ${ref}`);
  return {
    source: "api-trigger-git-deploy",
    gitSource: { type, ...repositoryOf(type, link), ref, sha },
    meta: {
      githubOrg: link.org,
      githubRepo: link.repo,
      githubRepoId: String(link.repoId),
      githubCommitOrg: link.org,
      githubCommitRepo: link.repo,
      githubCommitRef: ref,
      githubCommitSha: sha,
    },
  };
}

/** Each provider has its own words for a repository. */
function repositoryOf(type: string, { repoId }: Link): Record<string, unknown> {
  if (type === "gitlab") return { projectId: repoId };
  if (type === "bitbucket") return { repoUuid: String(repoId), workspaceUuid: `w-${repoId}` };
  return { repoId };
}

const pickKnown = (value: Record<string, unknown>, fields: object) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => Object.hasOwn(fields, name)));

function isSameRepository(gitSource: Record<string, unknown>, link: Link): boolean {
  if (gitSource.type !== link.type && !(gitSource.type === "github" && link.type === "github-limited")) return false;
  const id = gitSource.repoId ?? gitSource.projectId ?? gitSource.repoUuid;
  if (id !== undefined) return String(id) === String(link.repoId);
  return (gitSource.org ?? gitSource.owner) === link.org && (gitSource.repo ?? gitSource.slug) === link.repo;
}

function fromFiles({ world, owner }: ApiRequest, files: unknown[]): DeploymentSource {
  if (files.length === 0) throw new ApiError(400, "no_files", "There are no files to deploy.");
  const missing = new Set<string>();
  const kept: SourceFile[] = [];
  for (const [index, file] of files.entries()) {
    const isInline = isObject(file) && "data" in file;
    checkObject(file, isInline ? inlineFileFields : uploadedFileFields, `files[${index}].`);
    const { sha } = file as { sha?: string };
    if (!isInline && sha === undefined) throw badRequest(`Invalid request: missing \`files[${index}].sha\`.`);
    const data = isInline ? contentOf(file as unknown as InlineFile) : world.files.get(fileKey(owner.id, sha ?? ""));
    if (data) kept.push({ path: String((file as { file: string }).file), sha: sha ?? shaOf(data), data });
    else if (sha !== undefined) missing.add(sha);
  }
  if (missing.size > 0) {
    throw new ApiError(400, "missing_files", "Missing files", { extra: { missing: [...missing] } });
  }
  return { source: "cli", gitSource: null, meta: {}, files: kept };
}

interface InlineFile {
  data: string;
  encoding?: "base64" | "utf-8";
}

const contentOf = ({ data, encoding }: InlineFile): Buffer =>
  Buffer.from(data, encoding === "base64" ? "base64" : "utf8");

const shaOf = (data: Buffer): string => createHash("sha1").update(data).digest("hex");

/** A commit that stays the same for the same branch, and looks like one. */
const commitSha = (of: string) => createHash("sha1").update(of).digest("hex");
