import type { SandboxAnswer } from "../../server/sandbox.ts";
import { notFound } from "../http/api-error.ts";
import { type ApiRequest, ok, param } from "../http/api-request.ts";
import { pageOf, readPageWish } from "../http/pages.ts";
import type { Domain } from "../records.ts";
import type { World } from "../world.ts";

/** Domains of the account or team, as registered; which project uses them is the project's matter. */
export function listDomains({ world, owner, query }: ApiRequest): SandboxAnswer {
  const { items, pagination } = pageOf(world.domains, readPageWish(query), ({ ownerId }) => ownerId === owner.id);
  return ok({ domains: items.map((domain) => viewDomain(world, domain)), pagination });
}

export function readDomain(request: ApiRequest): SandboxAnswer {
  const { world, owner } = request;
  const name = param(request, 0).toLowerCase();
  for (const domain of world.domains.newestFirst()) {
    if (domain.name === name && domain.ownerId === owner.id) {
      return ok({ domain: { ...viewDomain(world, domain), suffix: false } });
    }
  }
  throw notFound("Domain");
}

const ownNameservers = ["ns1.vercel-dns.com", "ns2.vercel-dns.com"];

function viewDomain(world: World, domain: Domain): object {
  const creator = world.users.find(domain.creatorId);
  return {
    id: domain.id,
    name: domain.name,
    verified: domain.verified,
    serviceType: domain.serviceType,
    nameservers: domain.serviceType === "zeit.world" ? ownNameservers : [`ns1.${domain.name}`, `ns2.${domain.name}`],
    intendedNameservers: ownNameservers,
    creator: creator && { id: creator.id, username: creator.username, email: creator.email },
    teamId: world.teams.find(domain.ownerId) ? domain.ownerId : null,
    userId: domain.creatorId,
    createdAt: domain.createdAt,
    boughtAt: domain.boughtAt,
    expiresAt: domain.expiresAt,
    ...(domain.boughtAt !== null && { renew: true }),
    echMode: "auto",
  };
}
