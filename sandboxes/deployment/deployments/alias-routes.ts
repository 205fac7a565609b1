import { createHash } from "node:crypto";
import type { SandboxAnswer } from "../../server/sandbox.ts";
import { seesProject } from "../accounts/caller.ts";
import { badRequest, conflict, forbidden, notFound } from "../http/api-error.ts";
import { type ApiRequest, ok, param, type Route } from "../http/api-request.ts";
import { readBody } from "../http/read-body.ts";
import { readInteger, readLimit } from "../http/read-query.ts";
import { apexOf, isDomainName } from "../projects/domain-names.ts";
import type { Deployment } from "../records.ts";
import type { World } from "../world.ts";
import { moveHost } from "./aliases.ts";
import { requireDeployment } from "./find-deployment.ts";

/** An address that points to a deployment. Each address that is served is one, however it came about. */
interface Alias {
  uid: string;
  host: string;
  createdAt: number;
  deployment: Deployment;
}

const uidOf = (host: string) => createHash("sha1").update(host).digest("hex").slice(0, 24);

/** Oldest first, each at a moment of its own, since pages are cut by it. */
function aliasesOf({ world, owner, caller }: ApiRequest): Alias[] {
  const found: Alias[] = [];
  for (const [host, id] of world.deploymentIdOfHost) {
    const deployment = world.deployments.find(id);
    if (deployment?.ownerId !== owner.id || deployment.url === host || !seesProject(caller, deployment.projectId))
      continue;
    const createdAt = deployment.aliasAssignedAt ?? deployment.createdAt;
    found.push({ uid: uidOf(host), host, createdAt, deployment });
  }
  found.sort((a, b) => a.createdAt - b.createdAt || (a.host < b.host ? -1 : 1));
  for (const [index, alias] of found.entries()) {
    alias.createdAt = Math.max(alias.createdAt, (found[index - 1]?.createdAt ?? 0) + 1);
  }
  return found;
}

function listAllAliases(request: ApiRequest): SandboxAnswer {
  const { query, world } = request;
  const [limit, until, since] = [readLimit(query), readInteger(query, "until"), readInteger(query, "since")];
  const [projectId, domain] = [query.get("projectId"), query.getAll("domain")];
  const wanted = aliasesOf(request)
    .reverse()
    .filter(
      ({ host, createdAt, deployment }) =>
        (!projectId || deployment.projectId === projectId) &&
        (domain.length === 0 || domain.includes(host)) &&
        (until === null || createdAt < until) &&
        (since === null || createdAt > since),
    );
  const shown = wanted.slice(0, limit);
  const next = wanted.length > shown.length ? (shown.at(-1)?.createdAt ?? null) : null;
  const pagination = { count: shown.length, next, prev: shown[0]?.createdAt ?? null };
  return ok({ aliases: shown.map((alias) => viewAlias(world, alias)), pagination });
}

function readAlias(request: ApiRequest): SandboxAnswer {
  return ok(viewAlias(request.world, requireAlias(request)));
}

function removeAlias(request: ApiRequest): SandboxAnswer {
  const { host, deployment } = requireAlias(request);
  request.world.deploymentIdOfHost.delete(host);
  deployment.alias = deployment.alias.filter((each) => each !== host);
  return ok({ status: "SUCCESS" });
}

function listDeploymentAliases(request: ApiRequest): SandboxAnswer {
  const deployment = requireDeployment(request, param(request, 0));
  const aliases = deployment.alias.map((alias) => ({
    uid: uidOf(alias),
    alias,
    created: new Date(deployment.aliasAssignedAt ?? deployment.createdAt).toISOString(),
    redirect: null,
  }));
  return ok({ aliases });
}

/** Moves an address to a deployment: one below `vercel.app`, or one of a domain of the account. */
function assignAlias(request: ApiRequest): SandboxAnswer {
  const { world, owner, call } = request;
  const deployment = requireDeployment(request, param(request, 0));
  const body = readBody(call, { alias: { type: "string" }, redirect: { type: "string", nullable: true } });
  const name = String(body.alias ?? "").toLowerCase();
  const host = name.includes(".") ? name : `${name}.vercel.app`;
  if (!isDomainName(host)) throw badRequest("Invalid request: `alias` should be a domain name.");
  if (deployment.readyState !== "READY") {
    throw badRequest(`The deployment is not READY, it is ${deployment.readyState}.`);
  }
  if (!host.endsWith(".vercel.app") && !ownsDomain(world, owner.id, host)) {
    throw forbidden(`You don't have access to the domain ${host}.`, { domain: host });
  }
  const before = world.deployments.find(world.deploymentIdOfHost.get(host) ?? "");
  if (before && before.ownerId !== owner.id) throw conflict(`The alias ${host} is already in use.`);
  moveHost(world, host, deployment);
  return ok({
    uid: uidOf(host),
    alias: host,
    created: new Date(world.clock.now()).toISOString(),
    ...(before && { oldDeploymentId: before.id }),
  });
}

function ownsDomain(world: World, ownerId: string, host: string): boolean {
  for (const domain of world.domains.newestFirst()) {
    if (domain.ownerId === ownerId && domain.name === apexOf(host)) return true;
  }
  return false;
}

function requireAlias(request: ApiRequest): Alias {
  const wanted = param(request, 0).toLowerCase();
  const alias = aliasesOf(request).find(({ uid, host }) => wanted === uid || wanted === host);
  if (!alias) throw notFound("Alias");
  return alias;
}

function viewAlias(world: World, { uid, host, createdAt, deployment }: Alias): object {
  const creator = world.users.find(deployment.creatorId);
  return {
    uid,
    alias: host,
    created: new Date(createdAt).toISOString(),
    createdAt,
    updatedAt: createdAt,
    creator: creator && { uid: creator.id, email: creator.email, username: creator.username },
    deployment: { id: deployment.id, url: deployment.url, meta: JSON.stringify(deployment.meta) },
    deploymentId: deployment.id,
    projectId: deployment.projectId,
    redirect: null,
    redirectStatusCode: null,
  };
}

const alias = { resource: "deployment", bucket: "other_per_minute" } as const;

export const aliasRoutes: Route[] = [
  { ...alias, method: "GET", path: "/aliases", action: "list", handle: listAllAliases },
  { ...alias, method: "GET", path: "/aliases/{idOrAlias}", action: "read", handle: readAlias },
  { ...alias, method: "DELETE", path: "/aliases/{idOrAlias}", action: "delete", handle: removeAlias },
  { ...alias, method: "GET", path: "/deployments/{id}/aliases", action: "read", handle: listDeploymentAliases },
  { ...alias, method: "POST", path: "/deployments/{id}/aliases", action: "create", handle: assignAlias },
];
