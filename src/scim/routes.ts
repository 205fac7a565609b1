import type { FaceAnswer } from "../calls/face.ts";
import { Problem } from "../kernel/problem.ts";
import { answerWith, readBody, type ScimCall } from "./call.ts";
import {
  findResourceType,
  findSchema,
  resourceTypeDocument,
  schemaDocument,
  serviceProviderConfig,
} from "./discovery.ts";
import { createOneGroup, deleteOneGroup, listGroups, patchGroup, readOneGroup, replaceGroup } from "./groups.ts";
import { listAnswer, readQuery, readSearch } from "./list-query.ts";
import { notFound, ScimRefused } from "./refusal.ts";
import { resourceTypes, schemas } from "./schemas.ts";
import { searchAll } from "./search-all.ts";
import { createUser, deleteUser, listUsers, patchUser, readOneUser, replaceUser } from "./users.ts";

type Handle = (call: ScimCall) => Promise<FaceAnswer>;
type HandleOne = (call: ScimCall, id: string) => Promise<FaceAnswer>;
type ByMethod<H> = Partial<Record<string, H>>;

/** A collection: its own methods, those of one of its members, and its search. */
interface Endpoint {
  all: ByMethod<Handle>;
  one: ByMethod<HandleOne>;
  search?: Handle;
}

const whole = (value: unknown): FaceAnswer => answerWith(200, value);
const wholeList = (values: unknown[]): FaceAnswer => whole(listAnswer(values.length, 1, values));

/** "If a filter is provided, the service provider SHOULD respond with … 403" where it describes itself (RFC 7644, 4). */
const describing =
  (describe: (baseUrl: string) => FaceAnswer): Handle =>
  async ({ baseUrl, query }) => {
    if (readQuery(query).filter !== null) throw new ScimRefused(403, null, "What the service is cannot be filtered.");
    return describe(baseUrl);
  };

const config: Endpoint = { all: { GET: describing((baseUrl) => whole(serviceProviderConfig(baseUrl))) }, one: {} };

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
  // What Microsoft's own collection calls it.
  ["serviceconfiguration", config],
  [
    "resourcetypes",
    {
      all: {
        GET: describing((baseUrl) => wholeList(resourceTypes.map((type) => resourceTypeDocument(type, baseUrl)))),
      },
      one: {
        GET: async ({ baseUrl }, name) => found(findResourceType(name), (type) => resourceTypeDocument(type, baseUrl)),
      },
    },
  ],
  [
    "schemas",
    {
      all: { GET: describing((baseUrl) => wholeList(schemas.map((schema) => schemaDocument(schema, baseUrl)))) },
      one: { GET: async ({ baseUrl }, urn) => found(findSchema(urn), (schema) => schemaDocument(schema, baseUrl)) },
    },
  ],
  [".search", { all: { POST: async (call) => searchAll(call, readSearch(await readBody(call))) }, one: {} }],
]);

function found<T>(value: T | undefined, document: (value: T) => unknown): FaceAnswer {
  if (value === undefined) throw notFound();
  return whole(document(value));
}

/** What the standard knows and this service does not do; `ServiceProviderConfig` says so. */
const notOffered = new Set(["bulk", "me"]);

/** "Route case-insensitively and slash-tolerantly": `/users`, `/Users/?filter=…`. Ids keep their case. */
export function routeOf(method: string, url: string): Handle {
  const [name = "", id, ...more] = segmentsOf(url);
  const endpoint = endpoints.get(name.toLowerCase());
  if (notOffered.has(name.toLowerCase())) throw new ScimRefused(501, null, `${name} is not offered here.`);
  if (!endpoint || more.length > 0) throw notFound();
  if (id === undefined) return allowed(endpoint.all, method);
  if (id.toLowerCase() === ".search" && endpoint.search) return allowed({ POST: endpoint.search }, method);
  // No id of ours looks otherwise; the store is not asked about anything else.
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
    // The first two are the place of this face: scim, v2.
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
