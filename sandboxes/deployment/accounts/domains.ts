import type { SandboxAnswer } from "../../server/sandbox.ts";
import { badRequest, conflict, forbidden, notFound } from "../http/api-error.ts";
import { type ApiRequest, ok, param } from "../http/api-request.ts";
import { pageOf, readPageWish } from "../http/pages.ts";
import { readBody } from "../http/read-body.ts";
import { newId } from "../ids.ts";
import { apexOf, isDomainName } from "../projects/domain-names.ts";
import type { Domain } from "../records.ts";
import type { World } from "../world.ts";

/** Domains of the account or team, as registered; which project uses them is the project's matter. */
export function listDomains({ world, owner, query }: ApiRequest): SandboxAnswer {
  const { items, pagination } = pageOf(world.domains, readPageWish(query), ({ ownerId }) => ownerId === owner.id);
  return ok({ domains: items.map((domain) => viewDomain(world, domain)), pagination });
}

export function readDomain(request: ApiRequest): SandboxAnswer {
  return ok({ domain: { ...viewDomain(request.world, requireDomain(request)), suffix: false } });
}

/** By the name in the path. */
export function requireDomain(request: ApiRequest): Domain {
  const { world, owner } = request;
  const name = param(request, 0).toLowerCase();
  for (const domain of world.domains.newestFirst()) {
    if (domain.name === name && domain.ownerId === owner.id) return domain;
  }
  throw notFound("Domain");
}

/** A domain that is registered elsewhere: it is the account's once its records are seen. */
export function addDomain(request: ApiRequest): SandboxAnswer {
  const { world, owner, caller } = request;
  const text = { type: "string" } as const;
  const body = readBody(request.call, {
    name: text,
    method: { ...text, oneOf: ["add", "transfer-in", "move-in"] },
    cdnEnabled: { type: "boolean" },
    zone: { type: "boolean" },
    token: text,
    authCode: text,
    expectedPrice: { type: "number" },
  });
  const name = String(body.name ?? "").toLowerCase();
  if (!isDomainName(name)) throw badRequest(`The domain "${name}" is not valid.`);
  for (const domain of world.domains.newestFirst()) {
    if (domain.name !== name) continue;
    if (domain.ownerId === owner.id) throw conflict(`The domain ${name} is already in your account.`);
    throw forbidden(`You don't have access to the domain ${name}.`, { domain: name });
  }
  const domain = world.domains.add({
    id: newId(world.chance, ""),
    createdAt: world.domains.freeMoment(world.clock.now()),
    name,
    ownerId: owner.id,
    creatorId: caller.user.id,
    verified: true,
    serviceType: "external",
    boughtAt: null,
    expiresAt: null,
  });
  return ok({ domain: { ...viewDomain(world, domain), suffix: false } });
}

/** Everything costs the same here, and nothing can be bought. */
export const readPrice = (): SandboxAnswer => ok({ years: 1, purchasePrice: 20, renewalPrice: 20, transferPrice: 20 });

/** Renewal and the zone: kept as they are sent, since nothing is bought here. */
export function updateDomain(request: ApiRequest): SandboxAnswer {
  const domain = requireDomain(request);
  const { op } = readBody(request.call, {
    op: { type: "string", oneOf: ["update", "move-out"] },
    renew: { type: "boolean" },
    customNameservers: { type: "array", items: { type: "string" } },
    zone: { type: "boolean" },
    destination: { type: "string" },
  });
  if (op === "move-out") return ok({ moved: false, token: newId(request.world.chance, "") });
  return ok({ zone: domain.serviceType === "zeit.world", renew: domain.boughtAt !== null, customNameservers: [] });
}

export function removeDomain(request: ApiRequest): SandboxAnswer {
  const domain = requireDomain(request);
  request.world.domains.remove(domain);
  return ok({ uid: domain.id });
}

/** What its records should be, and whether they are: of a domain that is verified, they are. */
export function readDomainConfig(request: ApiRequest): SandboxAnswer {
  const { world } = request;
  const name = param(request, 0).toLowerCase();
  const known = [...world.domains.newestFirst()].find((each) => each.name === apexOf(name));
  const isConfigured = known?.verified === true;
  return ok({
    configuredBy: isConfigured ? (name === known?.name ? "A" : "CNAME") : null,
    acceptedChallenges: isConfigured ? ["dns-01", "http-01"] : [],
    misconfigured: !isConfigured,
    recommendedIPv4: [{ rank: 1, value: ["76.76.21.21"] }],
    recommendedCNAME: [{ rank: 1, value: "cname.vercel-dns.com." }],
    nameservers: known?.serviceType === "zeit.world" ? ownNameservers : [],
    serviceType: known?.serviceType ?? "na",
    cnames: [],
    aValues: isConfigured ? ["76.76.21.21"] : [],
    conflicts: [],
  });
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
