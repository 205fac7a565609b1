import type { SandboxAnswer } from "../../server/sandbox.ts";
import { ApiError, badRequest, notFound } from "../http/api-error.ts";
import { type ApiRequest, ok, param } from "../http/api-request.ts";
import { pageOf, readPageWish } from "../http/pages.ts";
import { type Fields, readBody } from "../http/read-body.ts";
import { readFlag, readWord } from "../http/read-query.ts";
import type { Project, ProjectDomain } from "../records.ts";
import { tell } from "./change-project.ts";
import { apexOf } from "./domain-names.ts";
import { requireProject } from "./find-project.ts";

export function viewProjectDomain(domain: ProjectDomain): object {
  const apexName = apexOf(domain.name);
  return {
    name: domain.name,
    apexName,
    projectId: domain.projectId,
    redirect: domain.redirect,
    redirectStatusCode: domain.redirectStatusCode,
    gitBranch: domain.gitBranch,
    customEnvironmentId: null,
    createdAt: domain.createdAt,
    updatedAt: domain.updatedAt,
    verified: domain.verified,
    ...(!domain.verified && {
      verification: [
        {
          type: "TXT",
          domain: `_vercel.${apexName}`,
          value: `vc-domain-verify=${domain.name},${domain.challenge}`,
          reason: "pending_domain_verification",
        },
      ],
    }),
  };
}

export function listProjectDomains(request: ApiRequest): SandboxAnswer {
  const { query, world } = request;
  const project = requireProject(request, param(request, 0));
  const verified = query.has("verified") ? readFlag(query, "verified") : null;
  const withRedirects = readWord(query, "redirects", ["true", "false"] as const) !== "false";
  const redirect = query.get("redirect");
  const gitBranch = query.get("gitBranch");
  const target =
    query.get("target") ?? (query.has("production") && readFlag(query, "production") ? "production" : null);
  const { items, pagination } = pageOf(
    world.projectDomains,
    readPageWish(query),
    (domain) =>
      domain.projectId === project.id &&
      (verified === null || domain.verified === verified) &&
      (withRedirects || domain.redirect === null) &&
      (!redirect || domain.redirect === redirect) &&
      (!gitBranch || domain.gitBranch === gitBranch) &&
      (!target || (target === "production") === (domain.gitBranch === null)),
  );
  if (query.get("order")?.toUpperCase() === "ASC") items.reverse();
  return ok({ domains: items.map(viewProjectDomain), pagination });
}

/** The addresses below a domain that projects of the account use. */
export function listDomainAssignments(request: ApiRequest): SandboxAnswer {
  const { world, owner } = request;
  const apex = apexOf(param(request, 0).toLowerCase());
  const { items, pagination } = pageOf(
    world.projectDomains,
    readPageWish(request.query),
    ({ name, projectId }) => apexOf(name) === apex && world.projects.find(projectId)?.ownerId === owner.id,
  );
  return ok({ projectDomains: items.map(viewProjectDomain), pagination });
}

export function readProjectDomain(request: ApiRequest): SandboxAnswer {
  return ok(viewProjectDomain(requireProjectDomain(request).domain));
}

/** The TXT record is seen some time after the domain was added; earlier, checking again fails and says what is missing. */
export function verifyProjectDomain(request: ApiRequest): SandboxAnswer {
  const { world } = request;
  const { project, domain } = requireProjectDomain(request);
  if (domain.verified) return ok(viewProjectDomain(domain));
  if (world.clock.now() < domain.createdAt + world.limits.domain_dns_seconds * 1000) {
    throw new ApiError(
      400,
      "missing_txt_record",
      `Domain _vercel.${apexOf(domain.name)} is missing required TXT Record.`,
    );
  }
  domain.verified = true;
  domain.updatedAt = world.clock.now();
  tell(request, "project.domain.verified", project, { domain: { name: domain.name } });
  return ok(viewProjectDomain(domain));
}

export function removeProjectDomain(request: ApiRequest): SandboxAnswer {
  const { world, call } = request;
  const { project, domain } = requireProjectDomain(request);
  const { removeRedirects } = readBody(call, { removeRedirects: { type: "boolean" } });
  const redirecting = domainsOf(request, project).filter(({ redirect }) => redirect === domain.name);
  if (redirecting.length > 0 && removeRedirects !== true) {
    throw badRequest(`The domain "${domain.name}" is the redirect target of others; send \`removeRedirects\`.`);
  }
  for (const each of [domain, ...redirecting]) {
    world.projectDomains.remove(each);
    world.deploymentIdOfHost.delete(each.name);
    tell(request, "project.domain.deleted", project, { domain: { name: each.name } });
  }
  return ok({});
}

/** The command line's older call for the same: the domain is in the query. */
export const removeProjectAlias = (request: ApiRequest): SandboxAnswer =>
  removeProjectDomain({ ...request, params: [param(request, 0), request.query.get("domain") ?? ""] });

const patchFields: Fields = {
  gitBranch: { type: "string", nullable: true, lengthMax: 250 },
  redirect: { type: "string", nullable: true },
  redirectStatusCode: { type: "integer", nullable: true, oneOf: [301, 302, 307, 308] },
};

export function updateProjectDomain(request: ApiRequest): SandboxAnswer {
  const { world, call } = request;
  const { project, domain } = requireProjectDomain(request);
  const sent = readBody(call, patchFields);
  const wanted = { ...domain, ...sent };
  if (wanted.gitBranch && wanted.redirect) {
    throw badRequest("You can't set both a git branch and a redirect for the domain.");
  }
  if (wanted.redirect && !domainsOf(request, project).some(({ name }) => name === wanted.redirect)) {
    throw badRequest(`The domain redirect "${wanted.redirect}" is not a domain of this project.`);
  }
  Object.assign(domain, sent, { updatedAt: world.clock.now() });
  tell(request, "project.domain.updated", project, { domain: { name: domain.name } });
  return ok(viewProjectDomain(domain));
}

/** To another project of the account. */
export function moveProjectDomain(request: ApiRequest): SandboxAnswer {
  const { world, call } = request;
  const { project, domain } = requireProjectDomain(request);
  const sent = readBody(call, { projectId: { type: "string", required: true }, ...patchFields });
  const target = requireProject(request, String(sent.projectId));
  world.projectDomains.remove(domain);
  const moved = world.projectDomains.add({
    ...domain,
    gitBranch: (sent.gitBranch as string | null | undefined) ?? null,
    redirect: (sent.redirect as string | null | undefined) ?? null,
    id: projectDomainId(target.id, domain.name),
    projectId: target.id,
    updatedAt: world.clock.now(),
  });
  tell(request, "project.domain.moved", project, { domain: { name: domain.name } });
  return ok(viewProjectDomain(moved));
}

export const domainsOf = ({ world }: ApiRequest, project: Project) =>
  [...world.projectDomains.newestFirst()].filter((domain) => domain.projectId === project.id);

export const projectDomainId = (projectId: string, name: string) => `${projectId} ${name}`;

function requireProjectDomain(request: ApiRequest): { project: Project; domain: ProjectDomain } {
  const project = requireProject(request, param(request, 0));
  const domain = request.world.projectDomains.find(projectDomainId(project.id, param(request, 1).toLowerCase()));
  if (!domain) throw notFound("Project domain");
  return { project, domain };
}
