import { ApiError, invalid } from "../wire/api-error.ts";
import { type Message, type MessageType, toSnake } from "../wire/proto-json.ts";
import { type AdminScope, alreadyExists, notFound, refuseTrashed, requireProperty } from "./access.ts";
import { pageOf } from "./paging.ts";
import type { Thing } from "./records.ts";
import { readUpdateMask } from "./update-mask.ts";

/** A list of records below a property or a stream that all work alike. */
export interface Collection {
  /** Its segment in the path. */
  segment: string;
  /** One of them, as the vendor's methods name it. */
  one: string;
  under: "property" | "data stream";
  message: MessageType;
  methods: readonly ("create" | "get" | "list" | "patch" | "delete" | "archive")[];
  required?: readonly string[];
  mutable?: readonly string[];
  /** What the vendor fills in: it ignores these in a body. */
  output?: readonly string[];
  /** Two records that agree in these cannot both exist. */
  unique?: readonly string[];
  max?: number;
  /** The parameter of a create that gives its id; otherwise the vendor gives a number. */
  idParameter?: string;
  /** Refuses a record that breaks a rule of its own. */
  check?(thing: Message, scope: AdminScope, parent: string): void;
  /** The values that the vendor fills in for a new one. */
  added?(scope: AdminScope, thing: Message): Message;
}

export function listThings(collection: Collection, scope: AdminScope, parent: string, query: URLSearchParams): object {
  requireParent(scope, parent, "viewer");
  return pageOf(thingsIn(collection, scope, parent), collection.segment, query, `${parent}/${collection.segment}`);
}

export function getThing(scope: AdminScope, name: string): Thing {
  requireParent(scope, parentOf(name), "viewer");
  return requireThing(scope, name);
}

export function createThing(
  collection: Collection,
  scope: AdminScope,
  parent: string,
  message: Message,
  query: URLSearchParams,
): Thing {
  requireParent(scope, parent, "editor");
  const { name: _, ...given } = without(message, collection.output ?? []);
  requireFields(collection, given);
  collection.check?.(given, scope, parent);
  const siblings = thingsIn(collection, scope, parent);
  const { unique, max } = collection;
  if (unique && siblings.some((each) => unique.every((field) => each[field] === given[field]))) throw alreadyExists();
  if (max !== undefined && siblings.length >= max) {
    throw new ApiError("FAILED_PRECONDITION", `${parent} has the maximum of ${max} ${collection.segment}.`);
  }
  const name = `${parent}/${collection.segment}/${idOf(collection, scope, query)}`;
  if (scope.records.things.has(name)) throw alreadyExists();
  const thing: Thing = { ...withoutDefaults({ ...given, ...collection.added?.(scope, given) }), name };
  scope.records.things.set(name, thing);
  return thing;
}

export function updateThing(
  collection: Collection,
  scope: AdminScope,
  name: string,
  message: Message,
  query: URLSearchParams,
): Thing {
  requireParent(scope, parentOf(name), "editor");
  const before = requireThing(scope, name);
  const mask = readUpdateMask(query, collection.mutable ?? [], Object.keys(collection.message.fields));
  const changes = Object.fromEntries(mask.map((field) => [field, message[field]]));
  const changed = { ...withoutDefaults({ ...before, ...changes }), name };
  requireFields(collection, changed);
  scope.records.things.set(name, changed);
  return changed;
}

/** For good; an archived one is gone from the lists in the same way. */
export function deleteThing(scope: AdminScope, name: string): object {
  requireParent(scope, parentOf(name), "editor");
  requireThing(scope, name);
  scope.records.things.delete(name);
  return {};
}

function idOf({ idParameter }: Collection, { records }: AdminScope, query: URLSearchParams): string {
  if (idParameter === undefined) return String(records.nextId++);
  const id = query.get(idParameter) ?? query.get(toSnake(idParameter)) ?? "";
  if (!/^[A-Za-z]\w{0,39}$/.test(id)) throw invalid(`The field ${toSnake(idParameter)} is required.`);
  return id;
}

function thingsIn({ segment }: Collection, { records }: AdminScope, parent: string): Thing[] {
  return [...records.things.values()].filter(({ name }) => name.startsWith(`${parent}/${segment}/`));
}

const parentOf = (name: string): string => name.split("/").slice(0, -2).join("/");

/** A parent is a property, or a stream of one. */
export function requireParent(scope: AdminScope, parent: string, role: "viewer" | "editor"): void {
  const property = requireProperty(scope, parent.split("/").slice(0, 2).join("/"), role);
  if (role === "editor") refuseTrashed(property);
  if (parent.includes("/dataStreams/") && !scope.records.dataStreams.has(parent)) throw notFound();
}

function requireThing({ records }: AdminScope, name: string): Thing {
  const thing = records.things.get(name);
  if (!thing) throw notFound();
  return thing;
}

function requireFields({ required = [] }: Collection, thing: Message): void {
  const missing = required.find((field) => isDefault(thing[field]) || /_UNSPECIFIED$/.test(String(thing[field])));
  if (missing) throw invalid(`The field ${toSnake(missing)} is required.`);
}

const isDefault = (value: unknown): boolean =>
  value === undefined || value === false || value === "" || value === 0 || (Array.isArray(value) && value.length === 0);

/** Fields at their default are left out of an answer. */
export const withoutDefaults = (message: Message): Message =>
  Object.fromEntries(Object.entries(message).filter(([, value]) => !isDefault(value)));

const without = (message: Message, fields: readonly string[]): Message =>
  Object.fromEntries(Object.entries(message).filter(([field]) => !fields.includes(field)));
