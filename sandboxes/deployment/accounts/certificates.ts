import type { SandboxAnswer } from "../../server/sandbox.ts";
import { badRequest, forbidden, notFound } from "../http/api-error.ts";
import { type ApiRequest, noContent, ok, param, type Route } from "../http/api-request.ts";
import { pageOf, readPageWish } from "../http/pages.ts";
import { readBody } from "../http/read-body.ts";
import { newId } from "../ids.ts";
import { apexOf } from "../projects/domain-names.ts";
import type { Certificate } from "../records.ts";

const lifeMilliseconds = 90 * 86_400_000;

function listCertificates({ world, owner, query }: ApiRequest): SandboxAnswer {
  const { items, pagination } = pageOf(world.certificates, readPageWish(query), ({ ownerId }) => ownerId === owner.id);
  return ok({ certs: items.map(viewCertificate), pagination });
}

/** Nothing is really issued: the names must belong to a domain of the account. */
function issueCertificate(request: ApiRequest): SandboxAnswer {
  const { world, owner } = request;
  const names = { type: "array", items: { type: "string" } } as const;
  const body = readBody(request.call, { cns: names, domains: names, op: { type: "string" } });
  const cns = (body.cns ?? body.domains ?? []) as string[];
  if (cns.length === 0) throw badRequest("Invalid request: missing required property `cns`.");
  const own = [...world.domains.newestFirst()].filter(({ ownerId }) => ownerId === owner.id).map(({ name }) => name);
  const foreign = cns.find((name) => !own.includes(apexOf(name.replace(/^\*\./, ""))));
  if (foreign !== undefined) throw forbidden(`You don't have access to the domain ${foreign}.`, { domain: foreign });
  const createdAt = world.certificates.freeMoment(world.clock.now());
  const id = newId(world.chance, "cert_");
  return ok(viewCertificate(world.certificates.add({ id, createdAt, ownerId: owner.id, cns })));
}

function readCertificate(request: ApiRequest): SandboxAnswer {
  return ok(viewCertificate(requireCertificate(request)));
}

function removeCertificate(request: ApiRequest): SandboxAnswer {
  request.world.certificates.remove(requireCertificate(request));
  return request.version >= 8 ? ok({}) : noContent;
}

function requireCertificate(request: ApiRequest): Certificate {
  const certificate = request.world.certificates.find(param(request, 0));
  if (certificate?.ownerId !== request.owner.id) throw notFound("Certificate");
  return certificate;
}

/** Older versions say `uid`, `created` and `expiration`, newer ones `id`, `createdAt` and `expiresAt`. */
function viewCertificate({ id, cns, createdAt }: Certificate): object {
  const expiresAt = createdAt + lifeMilliseconds;
  return {
    id,
    uid: id,
    cns,
    autoRenew: true,
    createdAt,
    expiresAt,
    created: new Date(createdAt).toISOString(),
    expiration: new Date(expiresAt).toISOString(),
  };
}

const certificate = { resource: "domain", bucket: "other_per_minute" } as const;

export const certificateRoutes: Route[] = [
  { ...certificate, method: "GET", path: "/certs", action: "list", handle: listCertificates },
  { ...certificate, method: "POST", path: "/certs", action: "create", handle: issueCertificate },
  // How the command line finishes an order.
  { ...certificate, method: "PATCH", path: "/certs", action: "create", handle: issueCertificate },
  { ...certificate, method: "GET", path: "/certs/{id}", action: "read", handle: readCertificate },
  { ...certificate, method: "DELETE", path: "/certs/{id}", action: "delete", handle: removeCertificate },
];
