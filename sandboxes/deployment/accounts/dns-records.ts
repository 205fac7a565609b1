import type { SandboxAnswer } from "../../server/sandbox.ts";
import { badRequest, notFound } from "../http/api-error.ts";
import { type ApiRequest, ok, param, type Route } from "../http/api-request.ts";
import { pageOf, readPageWish } from "../http/pages.ts";
import { type Fields, readBody } from "../http/read-body.ts";
import { newId } from "../ids.ts";
import type { DnsRecord } from "../records.ts";
import { requireDomain } from "./domains.ts";

const recordTypes = ["A", "AAAA", "ALIAS", "CAA", "CNAME", "HTTPS", "MX", "NS", "SRV", "TXT"];
const srv: Fields = {
  target: { type: "string", nullable: true },
  weight: { type: "integer", nullable: true },
  port: { type: "integer", nullable: true },
  priority: { type: "integer", nullable: true },
};
const recordFields: Fields = {
  name: { type: "string" },
  type: { type: "string", oneOf: recordTypes },
  value: { type: "string", nullable: true },
  ttl: { type: "integer", nullable: true },
  mxPriority: { type: "integer", nullable: true },
  srv: { type: "object", nullable: true, fields: srv },
  https: { type: "object", nullable: true },
  comment: { type: "string", lengthMax: 500 },
};

function listRecords(request: ApiRequest): SandboxAnswer {
  const domain = requireDomain(request);
  const { items, pagination } = pageOf(
    request.world.dnsRecords,
    readPageWish(request.query),
    (record) => record.domain === domain.name,
  );
  return ok({ records: items.map(viewRecord), pagination });
}

function createRecord(request: ApiRequest): SandboxAnswer {
  const { world, caller } = request;
  const domain = requireDomain(request);
  const body = readBody(request.call, recordFields);
  if (body.type === undefined) throw badRequest("Invalid request: missing required property `type`.");
  const value = lineOf(body);
  if (value === null) throw badRequest("Invalid request: missing required property `value`.");
  const createdAt = world.dnsRecords.freeMoment(world.clock.now());
  const record = world.dnsRecords.add({
    id: newId(world.chance, "rec_"),
    createdAt,
    updatedAt: createdAt,
    domain: domain.name,
    name: String(body.name ?? ""),
    type: String(body.type),
    value,
    ttl: Number(body.ttl ?? 60),
    mxPriority: typeof body.mxPriority === "number" ? body.mxPriority : null,
    comment: typeof body.comment === "string" ? body.comment : null,
    creatorId: caller.user.id,
  });
  return ok({ uid: record.id, updated: record.updatedAt });
}

/** An SRV record's value is a line of numbers and its target. */
function lineOf({ value, srv: service }: Record<string, unknown>): string | null {
  if (typeof value === "string") return value;
  if (typeof service !== "object" || service === null) return null;
  const { priority, weight, port, target } = service as Record<string, unknown>;
  return `${priority} ${weight} ${port} ${target}`;
}

function updateRecord(request: ApiRequest): SandboxAnswer {
  const record = requireRecord(request, param(request, 0));
  const { name, type, value, ttl, mxPriority, comment } = readBody(request.call, recordFields);
  const sent = Object.entries({ name, type, value, ttl, mxPriority, comment }).filter(([, each]) => each != null);
  Object.assign(record, Object.fromEntries(sent), { updatedAt: request.world.clock.now() });
  // This one call says `record` here, and the kind of record beside it.
  return ok({ ...viewRecord(record), type: "record" });
}

function readRecord(request: ApiRequest): SandboxAnswer {
  return ok(viewRecord(requireRecord(request, param(request, 0))));
}

function removeRecord(request: ApiRequest): SandboxAnswer {
  requireDomain(request);
  request.world.dnsRecords.remove(requireRecord(request, param(request, 1)));
  return ok({});
}

function requireRecord({ world, owner }: ApiRequest, id: string): DnsRecord {
  const record = world.dnsRecords.find(id);
  const isOwn = [...world.domains.newestFirst()].some(
    ({ name, ownerId }) => name === record?.domain && ownerId === owner.id,
  );
  if (!record || !isOwn) throw notFound("DNS record");
  return record;
}

function viewRecord(record: DnsRecord): object {
  const { id, name, type, value, ttl, mxPriority, comment, createdAt, updatedAt, creatorId, domain } = record;
  return {
    id,
    slug: id,
    name,
    type,
    recordType: type,
    value,
    ttl,
    domain,
    ...(mxPriority !== null && { mxPriority, priority: mxPriority }),
    ...(comment !== null && { comment }),
    creator: creatorId,
    created: createdAt,
    updated: updatedAt,
    createdAt,
    updatedAt,
  };
}

const dns = { resource: "domain", bucket: "other_per_minute" } as const;

export const dnsRoutes: Route[] = [
  { ...dns, method: "GET", path: "/domains/{domain}/records", action: "list", handle: listRecords },
  { ...dns, method: "POST", path: "/domains/{domain}/records", action: "create", handle: createRecord },
  { ...dns, method: "DELETE", path: "/domains/{domain}/records/{id}", action: "delete", handle: removeRecord },
  { ...dns, method: "GET", path: "/domains/records/{id}", action: "read", handle: readRecord },
  { ...dns, method: "PATCH", path: "/domains/records/{id}", action: "update", handle: updateRecord },
];
