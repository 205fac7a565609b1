import { canonicalJson } from "../kernel/json.ts";
import { type Found, findPlace, type Place, subAttribute } from "./attribute-path.ts";
import type { Attribute } from "./attributes.ts";
import { comparable } from "./comparable.ts";
import { elementsMax, membersOf, objectOf, type Parts, readElement, readValue } from "./read-value.ts";
import { badRequest } from "./refusal.ts";
import type { ResourceType, Schema } from "./schemas.ts";

/** Writing into a resource, place by place. Places come from the table, so nothing is ever written under a caller's name. */

/** The object that holds the attributes of a schema: the resource itself, or the part of the extension. */
export function homeOf(resource: Parts, schema: Schema): Parts {
  if (schema.keptUnder === "") return resource;
  const known = objectOf(resource[schema.urn]);
  if (known) return known;
  const made: Parts = {};
  resource[schema.urn] = made;
  return made;
}

/** What a caller's object says, member by member; unknown ones are passed over. `readOnly` is asked about those nobody may write. */
export function writeMembers(
  type: ResourceType,
  resource: Parts,
  object: Parts,
  op: "add" | "replace",
  readOnly: (place: Place, value: unknown) => void,
  prefix = "",
): void {
  for (const [name, value] of membersOf(object)) {
    const found = findPlace(type, prefix + name);
    if (found) writeAt(type, resource, found, value, op, readOnly);
  }
}

export function writeAt(
  type: ResourceType,
  resource: Parts,
  found: Found,
  value: unknown,
  op: "add" | "replace",
  readOnly: (place: Place, value: unknown) => void,
): void {
  if (!found.attribute) {
    if (value === null || value === "") {
      if (op === "replace") delete resource[found.schema.urn];
      return;
    }
    const object = objectOf(value);
    if (!object) throw badRequest("invalidValue", "An extension is an object with attributes.");
    writeMembers(type, resource, object, op, readOnly, `${found.schema.urn}:`);
    return;
  }
  const { attribute, sub } = found;
  if (attribute.mutability === "readOnly") {
    readOnly(found, value);
    return;
  }
  // Neither is kept: the one is made here, the other is a secret that nobody asked for.
  if (attribute.name === "schemas" || attribute.mutability === "writeOnly" || sub?.mutability === "readOnly") return;
  const home = homeOf(resource, found.schema);
  if (sub) writeSub(home, attribute, sub, value);
  else if (attribute.multiValued) writeList(home, attribute, value, op);
  else if (attribute.type === "complex") writeComplex(home, attribute, value);
  else if (attribute.type === "boolean" && value === "")
    throw badRequest("invalidValue", `"${attribute.name}" is true or false.`);
  else assign(home, attribute, readValue(attribute, value));
}

/** `name.givenName`; on a list it means every element of it, or a first one. */
function writeSub(home: Parts, attribute: Attribute, sub: Attribute, value: unknown): void {
  const read = readValue(sub, value);
  if (attribute.multiValued) {
    if (listOf(home, attribute).length === 0 && read !== undefined) home[attribute.name] = [{}];
    for (const element of listOf(home, attribute)) assign(element, sub, read);
    return;
  }
  const parts = objectOf(home[attribute.name]) ?? {};
  assign(parts, sub, read);
  home[attribute.name] = parts;
}

function writeList(home: Parts, attribute: Attribute, value: unknown, op: "add" | "replace"): void {
  const read = readValue(attribute, value) as Parts[] | undefined;
  if (op === "replace") assign(home, attribute, read);
  else addElements(home, attribute, read ?? []);
}

/** "If the target location already contains the value specified, no changes SHOULD be made" (RFC 7644, 3.5.2.1). */
export function addElements(home: Parts, attribute: Attribute, elements: readonly Parts[]): void {
  const list = distinct(attribute, [...listOf(home, attribute), ...elements]);
  if (list.length > elementsMax) throw badRequest("invalidValue", `"${attribute.name}" has too many elements.`);
  if (list.length > 0) home[attribute.name] = list;
}

/**
 * One element for each type and value ("service providers SHOULD NOT return the same (type, value) combination more than once",
 * RFC 7643, 2.4): what the last of several says besides is what counts, and so is which of them is the main one. Elements are
 * compared by a text, each written once: whoever sends a list again and again must not make us compare everything with
 * everything.
 */
function distinct(attribute: Attribute, elements: readonly Parts[]): Parts[] {
  const value = subAttribute(attribute, "value");
  const kept = new Map<string, Parts>();
  let primary: Parts | null = null;
  for (const element of elements) {
    const key = keyOf(value, element);
    const known = kept.get(key);
    const one = known ? Object.assign(known, element) : element;
    kept.set(key, one);
    if (element.primary === true) primary = one;
  }
  const list = [...kept.values()];
  for (const element of list) if (element.primary === true && element !== primary) element.primary = false;
  return list;
}

function keyOf(value: Attribute | null, element: Parts): string {
  const text = value && typeof element.value === "string" ? comparable(value, element.value) : null;
  if (text !== null) return JSON.stringify([String(element.type ?? "").toLowerCase(), text]);
  const { primary: _, ...rest } = element;
  return canonicalJson(rest);
}

/**
 * "Sub-attributes that are not specified … SHALL be left unchanged" (RFC 7644, 3.5.2.3); one that is null goes. What says more of
 * a value, such as the address of a manager, goes with it.
 */
function writeComplex(home: Parts, attribute: Attribute, value: unknown): void {
  // A manager comes as a list of one, too.
  const given = Array.isArray(value) ? value[0] : value;
  if (given === undefined || given === null || given === "") {
    delete home[attribute.name];
    return;
  }
  const before = objectOf(home[attribute.name]) ?? {};
  const read = readElement(attribute, given) ?? {};
  const isOther = read.value !== undefined && read.value !== before.value;
  const parts: Parts = isOther ? read : { ...before, ...read };
  for (const [name, part] of membersOf(objectOf(given) ?? {})) {
    const sub = attribute.subAttributes?.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (sub && (part === null || part === "")) delete parts[sub.name];
  }
  const isGone = before.value !== undefined && parts.value === undefined;
  assign(home, attribute, isGone ? undefined : parts);
}

export function assign(home: Parts, attribute: Attribute, value: unknown): void {
  if (value === undefined) delete home[attribute.name];
  else home[attribute.name] = value;
}

/** The elements of a list; every one of them was made here. */
export const listOf = (home: Parts, attribute: Attribute): Parts[] =>
  (home[attribute.name] as Parts[] | undefined) ?? [];

const describesOnly = new Set(["type", "primary"]);

/**
 * After the last change: elements that only say what kind of value they would hold are no values, none is there twice, at most
 * one element of a list is the main one, and nothing is kept of a part that is empty.
 */
export function tidy(type: ResourceType, resource: Parts): void {
  for (const schema of [type.core, ...type.extensions]) {
    const home = schema.keptUnder === "" ? resource : objectOf(resource[schema.urn]);
    if (!home) continue;
    for (const attribute of schema.attributes) tidyOne(home, attribute);
    if (home !== resource && Object.keys(home).length === 0) delete resource[schema.urn];
  }
}

function tidyOne(home: Parts, attribute: Attribute): void {
  if (home[attribute.name] === undefined || attribute.type !== "complex") return;
  if (!attribute.multiValued) {
    if (Object.keys(objectOf(home[attribute.name]) ?? {}).length === 0) delete home[attribute.name];
    return;
  }
  const says = (each: Parts) => Object.keys(each).some((key) => !describesOnly.has(key));
  const elements = distinct(attribute, listOf(home, attribute).filter(says));
  assign(home, attribute, elements.length === 0 ? undefined : elements);
}
