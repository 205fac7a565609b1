import { type Resource, type StepRequest, send, type Work } from "../define.ts";
import { accountIn, decoded, propertyIn } from "./endpoints.ts";
import { idIn } from "./ids.ts";
import { listOf, membersOf, textOf } from "./vendor-json.ts";

/** Which properties and accounts a request says it is about; null where it may be about any. */
export function resources(request: StepRequest): Resource[] | null {
  const property = propertyIn(request.path);
  const account = accountIn(request.path);
  const named = [
    ...(property === null ? [] : [{ kind: "property", id: property } as const]),
    ...(account === null ? [] : [{ kind: "account", id: account } as const]),
    ...inBody(request),
  ];
  const listed = inFilter(request);
  if (listed === "any") return null;
  const all = [...named, ...listed];
  return all.length > 0 ? all : null;
}

/** The parent of what is created, and properties that a body names beside its path. */
function inBody({ body }: StepRequest): Resource[] {
  const asked = membersOf(body);
  const names = [asked.parent, asked.property, ...listOf(asked.requests).map((each) => membersOf(each).property)];
  return names.flatMap((name) => readName(textOf(name)));
}

/** The list of properties names its account in a filter. */
function inFilter({ path, query }: StepRequest): Resource[] | "any" {
  if (!/^\/\w+\/properties$/.test(decoded(path)) || query === undefined || !("filter" in query)) return [];
  const [, name = ""] = /^(?:parent|ancestor):(.+)$/.exec(String(query.filter).trim()) ?? [];
  const found = readName(name);
  return found.length > 0 ? found : "any";
}

function readName(name: string): Resource[] {
  const [, collection, id] = /^(accounts|properties)\/(\d+)$/.exec(name) ?? [];
  if (id === undefined) return [];
  return [{ kind: collection === "accounts" ? "account" : "property", id }];
}

/** A property is also known by the account it lies in, for policies that name accounts. */
export function* resolve(resource: Resource): Work<Resource[]> {
  if (resource.kind !== "property" || resource.id === "0") return [resource];
  const path = `/v1beta/properties/${resource.id}`;
  const { body } = yield* send({ method: "GET", api: "admin", path, effect: "read", idempotent: true });
  const account = idIn(textOf(membersOf(body).account));
  return account === "" ? [resource] : [resource, { kind: "account", id: account }];
}
