import { comparisons } from "../../../src/scim/filters/parse-filter.ts";
import { notSupported, type routes } from "../../../src/scim/routes.ts";
import type { Attribute } from "../../../src/scim/schema/attribute-types.ts";
import type { JsonObject } from "../../../src/scim/schema/read-value.ts";
import { type ResourceType, resourceTypes } from "../../../src/scim/schema/schemas.ts";
import { patchUrn } from "../../support/scim/scim.ts";
import { type Put, withTexts } from "./foreign-or-absent.ts";
import { attributesOf, type DirectoryTenants, madeUpValue, type NamedAttribute } from "./scim-tenants.ts";

/** What a directory asks of SCIM with ids and values of another organization, generated from the routes and the schemas. */

export interface ScimRequest {
  method: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** One place of one request that another organization's id or value is put into. */
export interface ScimQuestion {
  title: string;
  request(put: Put): ScimRequest;
}

type Route = (typeof routes)[number];

/** What the service says of itself, which is the same for everybody. */
const describing = new Set(["serviceproviderconfig", "serviceconfiguration", "resourcetypes", "schemas"]);

/** Fails for a route of a kind that is not asked yet. */
export function questionsOf(route: Route, tenants: DirectoryTenants): ScimQuestion[] {
  const { method, path } = route;
  const [, name = "", last = ""] = path.split("/");
  const type = resourceTypes.find(({ endpoint }) => endpoint.toLowerCase() === `/${name}`);
  const at = (rest: string) => `${type?.endpoint ?? `/${name}`}${rest}`;
  const ask = (what: string, request: (put: Put) => Omit<ScimRequest, "method">): ScimQuestion => ({
    title: `${method} ${path}, ${what}`,
    request: (put) => ({ method, ...request(put) }),
  });
  const inPath = (body?: JsonObject): ScimQuestion[] =>
    idsOf(tenants).flatMap(([whose, id]) =>
      preconditionsOf(tenants, id).map((headersOf) =>
        ask([`the id of ${whose}`, ...Object.keys(headersOf((text) => text))].join(", "), (put) => ({
          path: at(`/${put(id)}`),
          headers: headersOf(put),
          ...(body && { body }),
        })),
      ),
    );
  if (notSupported.has(name))
    return [ask("a deletion in bulk", (put) => ({ path: at(""), body: bulkOf(tenants, put) }))];
  if (describing.has(name) && method === "GET") {
    const filter = (put: Put) => `?filter=${encodeURIComponent(`id eq "${put(tenants.theirs.ids.person)}"`)}`;
    return last === "{id}" ? inPath() : [ask("a filter", (put) => ({ path: at(filter(put)) }))];
  }
  if (method === "POST" && (name === ".search" || (type && last === ".search"))) {
    const types = type ? [type] : resourceTypes;
    return types.flatMap((each) =>
      filtersOf(each, tenants)
        .filter(([what]) => !what.endsWith("is not"))
        .map(([what, filter]) =>
          ask(what, (put) => ({ path: at(last && "/.search"), body: { filter: filter(put), count: 200 } })),
        ),
    );
  }
  if (!type) throw new Error(notAsked(route));
  const own = at(`/${tenants.own.resources[type.name].id}`);
  switch (`${method} ${last}`) {
    case "GET ":
      return filtersOf(type, tenants).map(([what, filter]) =>
        ask(what, (put) => ({ path: at(`?count=200&filter=${encodeURIComponent(filter(put))}`) })),
      );
    case "POST ":
      return partsOf(type, tenants).map(([what, part]) =>
        ask(what, (put) => ({ path: at(""), body: { ...newBody(type), ...part(put) } })),
      );
    case "GET {id}":
    case "DELETE {id}":
      return inPath();
    case "PUT {id}":
      return [
        ...inPath(tenants.own.bodies[type.name]),
        ...partsOf(type, tenants).map(([what, part]) =>
          ask(what, (put) => ({ path: own, body: { ...tenants.own.bodies[type.name], ...part(put) } })),
        ),
      ];
    case "PATCH {id}":
      return [
        ...inPath(patch({ op: "replace", path: "displayName", value: "Changed" })),
        ...patchesOf(type, tenants).map(([what, operation]) =>
          ask(what, (put) => ({ path: own, body: patch(operation(put)) })),
        ),
      ];
    default:
      throw new Error(notAsked(route));
  }
}

const notAsked = ({ method, path }: Route): string =>
  `Nobody asks ${method} ${path} about another organization: say in test/attacks/support/scim-questions.ts what it takes.`;

const patch = (operation: JsonObject): JsonObject => ({ schemas: [patchUrn], Operations: [operation] });

const newBody = (type: ResourceType): JsonObject => ({
  schemas: [type.core.urn],
  ...(type.name === "User" ? { userName: "visitor@our.example" } : { displayName: "Visitors" }),
});

const bulkOf = ({ theirs }: DirectoryTenants, put: Put): JsonObject => ({
  schemas: ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"],
  Operations: [
    { method: "DELETE", path: `/Users/${put(theirs.ids.person)}` },
    { method: "DELETE", path: `/Groups/${put(theirs.ids.group)}` },
  ],
});

function idsOf({ theirs }: DirectoryTenants): [whose: string, id: string][] {
  const { others, ...named } = theirs.ids;
  return [...Object.entries(named), ...others.map((id): [string, string] => [id.slice(0, 3), id])];
}

type Headers = (put: (text: string) => string) => Record<string, string>;

/** A version that another organization's resource has must not be told apart from one that nothing has. */
function preconditionsOf({ theirs }: DirectoryTenants, id: string): Headers[] {
  const found = Object.values(theirs.resources).find((resource) => resource.id === id);
  const { version } = (found?.meta ?? {}) as { version?: string };
  if (version === undefined) return [() => ({})];
  return [
    () => ({}),
    (put) => ({ "if-match": put(version) }),
    (put) => ({ "if-none-match": put(version) }),
    () => ({ "if-match": "*" }),
  ];
}

type Filters = [what: string, filter: (put: Put) => string][];

const equalities = ["eq", "sw", "co", "ew"];

function filtersOf(type: ResourceType, { theirs }: DirectoryTenants): Filters {
  return attributesOf(type).flatMap((named): Filters => {
    const { attribute, path } = named;
    const whole = named.in(theirs.resources[type.name]);
    const one = (Array.isArray(whole) ? whole[0] : whole) as JsonObject | string | boolean | undefined;
    if (!attribute.subAttributes) return testsOf(path, attribute, (one ?? madeUpValue(type, path)) as string | boolean);
    return attribute.subAttributes.flatMap((sub): Filters => {
      const value = (one as JsonObject | undefined)?.[sub.name] ?? madeUpValue(type, `${path}.${sub.name}`);
      const tests = testsOf(`${path}.${sub.name}`, sub, value as string | boolean);
      if (!attribute.multiValued) return tests;
      return [...tests, [`${path}[${sub.name}]`, (put) => `${path}[${sub.name} eq ${literal(value, put)}]`]];
    });
  });
}

const literal = (value: unknown, put: Put): string => JSON.stringify(withTexts(value, put));

/** What has the value, and what has another one: each would show whether it is there. */
function testsOf(path: string, { type }: Attribute, value: string | boolean): Filters {
  const test = (op: string, put: Put) => `${path} ${op} ${literal(value, put)}`;
  const isOrdered = type !== "boolean" && type !== "binary";
  const unequal = comparisons.filter((op) => !equalities.includes(op));
  const all = (ops: string[], put: Put) => ops.map((op) => test(op, put)).join(" or ");
  return [
    [`${path} is`, (put) => (isOrdered ? all(equalities, put) : test("eq", put))],
    [`${path} is not`, (put) => `${path} pr and (${isOrdered ? all(["ne", ...unequal], put) : test("ne", put)})`],
  ];
}

type Parts = [what: string, part: (put: Put) => JsonObject][];

/** Their whole resource as one's own, each attribute of it, and each person and address of theirs. */
function partsOf(type: ResourceType, { theirs }: DirectoryTenants): Parts {
  const resource = theirs.resources[type.name];
  const { person, manager, owner, colleague, deleted, group } = theirs.ids;
  const members = [person, manager, owner, colleague, deleted, group];
  return [
    ["everything", (put) => withTexts(resource, put) as JsonObject],
    ...attributesOf(type).map((named): Parts[number] => {
      const value = named.in(resource) ?? madeUpValue(type, named.path);
      return [named.path, (put) => named.part(withTexts(value, put))];
    }),
    ...(type.name === "User"
      ? [
          ["a person whom they have deleted", (put) => withTexts(theirs.deleted, put) as JsonObject] as Parts[number],
          ...theirs.emails.map((email): Parts[number] => [email, (put) => ({ emails: [{ value: put(email) }] })]),
        ]
      : members.map((id): Parts[number] => [`the member ${id}`, (put) => ({ members: [{ value: put(id) }] })])),
  ];
}

type Patches = [what: string, operation: (put: Put) => JsonObject][];

function patchesOf(type: ResourceType, tenants: DirectoryTenants): Patches {
  const whole = partsOf(type, tenants).map(([what, part]): Patches[number] => [
    `add ${what}`,
    (put) => ({ op: "add", value: part(put) }),
  ]);
  return [...whole, ...attributesOf(type).flatMap((named) => patchesAt(named, type, tenants))];
}

function patchesAt({ path, attribute, in: read }: NamedAttribute, type: ResourceType, { theirs }: DirectoryTenants) {
  const value = read(theirs.resources[type.name]) ?? madeUpValue(type, path);
  const patches: Patches = ["add", "replace", "remove"].map((op) => [
    `${op} at ${path}`,
    (put) => ({ op, path, value: withTexts(value, put) }),
  ]);
  if (!attribute.multiValued || !Array.isArray(value)) return patches;
  const [sub, text] = Object.entries(value[0] as JsonObject)[0] ?? [];
  const selected = (put: Put) => `${path}[${sub} eq ${literal(text, put)}]`;
  patches.push([`remove what is at ${path}`, (put) => ({ op: "remove", path: selected(put) })]);
  patches.push([
    `change what is at ${path}`,
    (put) => ({ op: "replace", path: `${selected(put)}.display`, value: "x" }),
  ]);
  return patches;
}
