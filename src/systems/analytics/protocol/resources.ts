import type { Resource } from "../../define.ts";
import { type StepRequest, send, type Work } from "../../work.ts";
import { accountIn, decoded, propertyIn } from "./endpoints.ts";
import { idIn } from "./ids.ts";
import { listOf, membersOf, textOf } from "./vendor-json.ts";

/**
 * The properties and accounts that a request concerns; null if it may concern any. Names in a body count only beside a
 * path that is as specific: a body does not narrow a path about everything.
 */
export function resources(request: StepRequest): Resource[] | null {
  const inPath = pathResources(request);
  return inPath === null ? null : listOrNull([...inPath, ...inBody(request)]);
}

const listOrNull = (found: Resource[]): Resource[] | null => (found.length > 0 ? found : null);

function pathResources(request: StepRequest): Resource[] | null {
  const property = propertyIn(request.path);
  if (property !== null) return [{ kind: "property", id: property }];
  const account = accountIn(request.path);
  if (account !== null) return [{ kind: "account", id: account }];
  if (!/^\/\w+\/properties$/.test(decoded(request.path))) return null;
  return request.method === "POST" ? [] : listOrNull(inFilter(request));
}

/** The parent of the created record, and properties that a body names beside its path. */
function inBody({ body }: StepRequest): Resource[] {
  const asked = membersOf(body);
  const names = [asked.parent, asked.property, ...listOf(asked.requests).map((each) => membersOf(each).property)];
  return names.flatMap((name) => readName(textOf(name)));
}

/** The list of properties names its account in a filter. */
function inFilter({ query }: StepRequest): Resource[] {
  const [, name = ""] = /^(?:parent|ancestor):(.+)$/.exec(String(query?.filter ?? "").trim()) ?? [];
  return readName(name);
}

function readName(name: string): Resource[] {
  const [, collection, id] = /^(accounts|properties)\/(\d+)$/.exec(name) ?? [];
  if (id === undefined) return [];
  return [{ kind: collection === "accounts" ? "account" : "property", id }];
}

/** A property also counts as its account, for policies that name accounts. */
export function* resolve(resource: Resource): Work<Resource[]> {
  if (resource.kind !== "property" || resource.id === "0") return [resource];
  const path = `/v1beta/properties/${resource.id}`;
  const { body } = yield* send({ method: "GET", api: "admin", path, effect: "read", idempotent: true });
  const account = idIn(textOf(membersOf(body).account));
  return account === "" ? [resource] : [resource, { kind: "account", id: account }];
}
