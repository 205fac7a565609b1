import type { SandboxAnswer } from "../../server/sandbox.ts";
import { badRequest, conflict, forbidden } from "../http/api-error.ts";
import { type ApiRequest, ok, param } from "../http/api-request.ts";
import { type Body, type Fields, readBody } from "../http/read-body.ts";
import { newHex } from "../ids.ts";
import type { Domain, Project } from "../records.ts";
import type { World } from "../world.ts";
import { tell } from "./change-project.ts";
import { apexOf, isDomainName } from "./domain-names.ts";
import { requireProject } from "./find-project.ts";
import { domainsOf, projectDomainId, viewProjectDomain } from "./project-domains.ts";

const domainFields: Fields = {
  name: { type: "string", required: true },
  gitBranch: { type: "string", nullable: true, lengthMax: 250 },
  customEnvironmentId: { type: "string" },
  redirect: { type: "string", nullable: true },
  redirectStatusCode: { type: "integer", nullable: true, oneOf: [301, 302, 307, 308] },
};

/** An unverified domain is a success too: the owner then sets a TXT record and asks to verify. */
export function addProjectDomain(request: ApiRequest): SandboxAnswer {
  return ok(add(request, readBody(request.call, domainFields)));
}

/** The command line's older call for the same: the domain under another name, and all of the project's for an answer. */
export function addProjectAlias(request: ApiRequest): SandboxAnswer {
  const text = { type: "string" } as const;
  const { domain } = readBody(request.call, { domain: { ...text, required: true }, target: text, redirect: text });
  add(request, { name: domain });
  const all = domainsOf(request, requireProject(request, param(request, 0)));
  return ok(
    all.map(({ name, createdAt, redirect }) => ({
      domain: name,
      target: "PRODUCTION",
      createdAt,
      redirect: redirect ?? null,
    })),
  );
}

function add(request: ApiRequest, body: Body): object {
  const { world, owner } = request;
  const project = requireProject(request, param(request, 0));
  const name = String(body.name).toLowerCase();
  checkWish(request, project, name, body);
  checkFree(world, project, name);
  const registered = findRegistered(world, name);
  if (registered && registered.ownerId !== owner.id) {
    throw forbidden(`You don't have access to the domain ${name} that you are adding.`, { domain: name });
  }
  const createdAt = world.projectDomains.freeMoment(world.clock.now());
  const domain = world.projectDomains.add({
    id: projectDomainId(project.id, name),
    createdAt,
    updatedAt: createdAt,
    projectId: project.id,
    name,
    gitBranch: (body.gitBranch as string | null | undefined) ?? null,
    redirect: (body.redirect as string | null | undefined) ?? null,
    redirectStatusCode: (body.redirectStatusCode as number | null | undefined) ?? null,
    verified: name.endsWith(".vercel.app") || registered?.verified === true,
    challenge: newHex(world.chance, 20),
  });
  tell(request, "project.domain.created", project, { domain: { name } });
  return viewProjectDomain(domain);
}

function checkWish(request: ApiRequest, project: Project, name: string, body: Body): void {
  const { gitBranch, redirect, customEnvironmentId } = body;
  if (!isDomainName(name)) throw badRequest(`The domain "${body.name}" is not valid.`);
  if (customEnvironmentId) throw badRequest("The custom environment does not exist.");
  if (gitBranch && redirect) throw badRequest("You can't set both a git branch and a redirect for the domain.");
  if (gitBranch === "main") throw badRequest("You can not set the production branch as a branch for your domain.");
  if (redirect === name) throw badRequest("A domain cannot redirect to itself.");
  if (redirect && !domainsOf(request, project).some((domain) => domain.name === redirect)) {
    throw badRequest(`The domain redirect "${redirect}" is not a domain of this project.`);
  }
  for (const deployment of request.world.deploymentsOf.get(project.id)?.newestFirst() ?? []) {
    if (deployment.target !== "production" || deployment.deletedAt !== null) continue;
    if (deployment.readyState !== "ERROR") break;
    throw badRequest("The domain can not be added because the latest production deployment was not successful.");
  }
}

function checkFree(world: World, project: Project, name: string): void {
  for (const other of world.projectDomains.newestFirst()) {
    if (other.name !== name) continue;
    const where = other.projectId === project.id ? "this project" : "another project";
    throw conflict(`Cannot add ${name} since it's already assigned to ${where}.`, {
      projectId: other.projectId,
      domain: { name },
    });
  }
}

function findRegistered(world: World, name: string): Domain | null {
  const apex = apexOf(name);
  for (const domain of world.domains.newestFirst()) if (domain.name === apex) return domain;
  return null;
}
