import type { ProtocolResponse } from "../calls/protocol.ts";
import { Problem } from "../kernel/problem.ts";
import { readBody, type ScimCall } from "./authenticated-request.ts";
import { createOneGroup, deleteOneGroup, listGroups, patchGroup, readOneGroup, replaceGroup } from "./groups.ts";
import { listResponse, readQuery, readSearch } from "./list-query.ts";
import { jsonResponse } from "./response/responses.ts";
import { notFound, ScimRefused } from "./response/scim-error.ts";
import {
  findResourceType,
  findSchema,
  resourceTypeDocument,
  schemaDocument,
  serviceProviderConfig,
} from "./schema/discovery.ts";
import { resourceTypes, schemas } from "./schema/schemas.ts";
import { searchAll } from "./search-all.ts";
import { createUser, deleteUser, listUsers, patchUser, readOneUser, replaceUser } from "./users.ts";

type Handle = (call: ScimCall) => Promise<ProtocolResponse>;
type HandleOne = (call: ScimCall, id: string) => Promise<ProtocolResponse>;
type ByMethod<H> = Partial<Record<string, H>>;

/** The handlers of a collection, of one resource in it, and of its search. */
interface Endpoint {
  all: ByMethod<Handle>;
  one: ByMethod<HandleOne>;
  search?: Handle;
}

const ok = (value: unknown): ProtocolResponse => jsonResponse(200, value);
const okList = (values: unknown[]): ProtocolResponse => ok(listResponse(values.length, 1, values));

/** "If a filter is provided, the service provider SHOULD respond with … 403" on discovery endpoints (RFC 7644, 4). */
const discovery =
  (describe: (baseUrl: string) => ProtocolResponse): Handle =>
  async ({ baseUrl, query }) => {
    if (readQuery(query).filter !== null) throw new ScimRefused(403, null, "This endpoint does not support filters.");
    return describe(baseUrl);
  };

const config: Endpoint = { all: { GET: discovery((baseUrl) => ok(serviceProviderConfig(baseUrl))) }, one: {} };

const endpoints = new Map<string, Endpoint>([
  [
    "users",
    {
      all: { GET: (call) => listUsers(call, readQuery(call.query)), POST: createUser },
      one: { GET: readOneUser, PUT: replaceUser, PATCH: patchUser, DELETE: deleteUser },
      search: async (call) => listUsers(call, readSearch(await readBody(call))),
    },
  ],
  [
    "groups",
    {
      all: { GET: (call) => listGroups(call, readQuery(call.query)), POST: createOneGroup },
      one: { GET: readOneGroup, PUT: replaceGroup, PATCH: patchGroup, DELETE: deleteOneGroup },
      search: async (call) => listGroups(call, readSearch(await readBody(call))),
    },
  ],
  ["serviceproviderconfig", config],
  // The name in Microsoft's request collection.
  ["serviceconfiguration", config],
  [
    "resourcetypes",
    {
      all: {
        GET: discovery((baseUrl) => okList(resourceTypes.map((type) => resourceTypeDocument(type, baseUrl)))),
      },
      one: {
        GET: async ({ baseUrl }, name) => found(findResourceType(name), (type) => resourceTypeDocument(type, baseUrl)),
      },
    },
  ],
  [
    "schemas",
    {
      all: { GET: discovery((baseUrl) => okList(schemas.map((schema) => schemaDocument(schema, baseUrl)))) },
      one: { GET: async ({ baseUrl }, urn) => found(findSchema(urn), (schema) => schemaDocument(schema, baseUrl)) },
    },
  ],
  [".search", { all: { POST: async (call) => searchAll(call, readSearch(await readBody(call))) }, one: {} }],
]);

function found<T>(value: T | undefined, document: (value: T) => unknown): ProtocolResponse {
  if (value === undefined) throw notFound();
  return ok(document(value));
}

/** Every request that is served, by its method and path: a test calls each of them with ids of another organization. */
export const routes: readonly { method: string; path: string }[] = [...endpoints].flatMap(
  ([name, { all, one, search }]) => [
    ...Object.keys(all).map((method) => ({ method, path: `/${name}` })),
    ...Object.keys(one).map((method) => ({ method, path: `/${name}/{id}` })),
    ...(search ? [{ method: "POST", path: `/${name}/.search` }] : []),
  ],
);

/** Endpoints of the standard that `ServiceProviderConfig` declares as not supported. */
export const notSupported = new Set(["bulk", "me"]);

/** "Route case-insensitively and slash-tolerantly": `/users`, `/Users/?filter=…`. Ids keep their case. */
export function routeOf(method: string, url: string): Handle {
  const [name = "", id, ...more] = segmentsOf(url);
  const endpoint = endpoints.get(name.toLowerCase());
  if (notSupported.has(name.toLowerCase())) throw new ScimRefused(501, null, `${name} is not supported.`);
  if (!endpoint || more.length > 0) throw notFound();
  if (id === undefined) return allowed(endpoint.all, method);
  if (id.toLowerCase() === ".search" && endpoint.search) return allowed({ POST: endpoint.search }, method);
  // Generated ids are short and printable. Any other text cannot exist, so the store is not queried.
  if (!/^[\x21-\x7e]{1,128}$/.test(id)) throw notFound();
  const handle = allowed(endpoint.one, method);
  return (call) => handle(call, id);
}

function allowed<H>(handlers: ByMethod<H>, method: string): H {
  const handle = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
  if (handle) return handle;
  const methods = Object.keys(handlers);
  if (methods.length === 0) throw notFound();
  throw new Problem("method_not_allowed", undefined, { headers: { allow: methods.join(", ") } });
}

function segmentsOf(url: string): string[] {
  const path = url.split(/[?#]/, 1)[0] ?? "";
  const parts = path.split("/").filter((part) => part !== "");
  try {
    // The first two segments are the prefix: scim, v2.
    return parts.slice(2).map(decodeURIComponent);
  } catch {
    throw notFound();
  }
}

const named: Record<string, string> = { users: "scim/Users", groups: "scim/Groups" };
export const operations = ["scim/Users", "scim/Groups", "scim/other"] as const;

export function operationOf(url: string): string {
  const name = /^\/+scim\/+v2\/+(users|groups)(?![^/?])/i.exec(url)?.[1]?.toLowerCase() ?? "";
  return named[name] ?? "scim/other";
}
