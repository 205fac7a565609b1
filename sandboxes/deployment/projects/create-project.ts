import type { SandboxAnswer } from "../../server/sandbox.ts";
import { badRequest, conflict, refuseByName } from "../http/api-error.ts";
import { type ApiRequest, ok } from "../http/api-request.ts";
import { type Body, readBody } from "../http/read-body.ts";
import { newId } from "../ids.ts";
import type { Link, Project } from "../records.ts";
import { findProjectByName } from "../world.ts";
import { addVariables, readWishes } from "./env-create.ts";
import { checkVariable, findClash } from "./env-rules.ts";
import { createProjectFields } from "./project-fields.ts";
import { requireProjectName } from "./project-name.ts";
import { viewProject } from "./project-view.ts";
import { repositoryId } from "./repository-id.ts";

export function createProject(request: ApiRequest): SandboxAnswer {
  const body = readBody(request.call, createProjectFields);
  requireProjectName(String(body.name));
  const wishes = readWishes(body.environmentVariables ?? []);
  // A project is made with all its variables or not at all: its answer cannot name those that failed.
  for (const [index, wish] of wishes.entries()) {
    checkVariable(wish);
    if (findClash(wishes.slice(0, index), wish)) {
      throw badRequest(`The environment variable ${wish.key} is given twice for the same target.`);
    }
  }
  const project = addProject(request, body);
  addVariables(request, project, wishes, false);
  return ok(viewProject(request.world, project));
}

/** Also how a first file deployment makes its project. */
export function addProject(request: ApiRequest, body: Body): Project {
  const { world, owner, caller } = request;
  const { name, gitRepository, environmentVariables: _apart, framework, ...settings } = body;
  refuseByName(String(name), world.clock.now());
  if (findProjectByName(world, owner.id, String(name))) {
    throw conflict(`A project with the name "${name}" already exists. Choose another name.`);
  }
  const createdAt = world.projects.freeMoment(world.clock.now());
  const project = world.projects.add({
    id: newId(world.chance, "prj_", 28),
    createdAt,
    updatedAt: createdAt,
    ownerId: owner.id,
    name: String(name),
    framework: (framework as string | null | undefined) ?? null,
    nodeVersion: "22.x",
    directoryListing: false,
    link: gitRepository ? linkOf(gitRepository as GitRepository, createdAt) : null,
    settings,
  });
  const { installation } = caller.token;
  // What an installation on chosen projects makes itself, it may also see.
  installation?.projects?.push(project.id);
  const details = { project: { id: project.id, name: project.name } };
  world.announce({
    type: "project.created",
    at: createdAt,
    ownerId: owner.id,
    userId: caller.user.id,
    project,
    deployment: null,
    details,
  });
  return project;
}

interface GitRepository {
  type: unknown;
  repo: unknown;
}

const providers: readonly Link["type"][] = ["github", "github-limited", "gitlab", "bitbucket"];

/** Every repository can be linked, except those of an organization called `not-installed`. */
export function linkOf(repository: GitRepository, createdAt: number): Link {
  const path = String(repository.repo);
  const [org, repo, ...more] = path.split("/");
  const type = providers.find((each) => each === repository.type);
  if (!type) throw badRequest(`Invalid request: \`type\` should be one of "${providers.join(", ")}".`);
  if (!org || !repo || more.length > 0) throw badRequest("Invalid request: `gitRepository.repo` should be org/name.");
  if (org === "not-installed") {
    throw badRequest("To link a repository, you need to install the Git application first.", {
      action: "Install Git application",
      link: `https://${type === "gitlab" ? "gitlab.com" : "github.com"}/apps/vercel`,
      repo: path,
    });
  }
  return { type, org, repo, repoId: repositoryId(path), createdAt };
}
