import { canonicalJson } from "../../kernel/strict-json.ts";
import { comparable } from "../filters/comparable-value.ts";
import { badRequest } from "../response/scim-error.ts";
import { type AttributePath, resolvePath, type SchemaPath, subAttribute } from "../schema/attribute-path.ts";
import type { Attribute } from "../schema/attribute-types.ts";
import { elementsMax, entriesOf, type JsonObject, objectOf, readElement, readValue } from "../schema/read-value.ts";
import type { ResourceType, Schema } from "../schema/schemas.ts";

/** Writes values into a resource. Attribute names come from the schema table, never from the caller. */

/** Returns the object that holds the attributes of a schema: the resource itself, or its extension object. */
export function containerOf(resource: JsonObject, schema: Schema): JsonObject {
  if (schema.valuePrefix === "") return resource;
  const known = objectOf(resource[schema.urn]);
  if (known) return known;
  const made: JsonObject = {};
  resource[schema.urn] = made;
  return made;
}

export interface ResourceWrite {
  type: ResourceType;
  resource: JsonObject;
  op: "add" | "replace";
  /** Receives every value for a read-only attribute, which is not written. */
  onReadOnly(path: AttributePath, value: unknown): void;
}

/** Writes each member of a caller's object and skips unknown names. */
export function writeMembers(write: ResourceWrite, object: JsonObject, prefix = ""): void {
  for (const [name, value] of entriesOf(object)) {
    const path = resolvePath(write.type, prefix + name);
    if (path) writeAt(write, path, value);
  }
}

export function writeAt(write: ResourceWrite, path: SchemaPath, value: unknown): void {
  const { resource, op } = write;
  if (!path.attribute) {
    if (value === null || value === "") {
      if (op === "replace") delete resource[path.schema.urn];
      return;
    }
    const object = objectOf(value);
    if (!object) throw badRequest("invalidValue", "An extension must be an object with attributes.");
    writeMembers(write, object, `${path.schema.urn}:`);
    return;
  }
  const { attribute, sub } = path;
  if (attribute.mutability === "readOnly") {
    write.onReadOnly(path, value);
    return;
  }
  // `schemas` is derived from the content. A write-only attribute is a password, which the service does not need.
  if (attribute.name === "schemas" || attribute.mutability === "writeOnly" || sub?.mutability === "readOnly") return;
  const container = containerOf(resource, path.schema);
  if (sub) writeSub(container, attribute, sub, value);
  else if (attribute.multiValued) writeList(container, attribute, value, op);
  else if (attribute.type === "complex") writeComplex(container, attribute, value);
  else if (attribute.type === "boolean" && value === "")
    throw badRequest("invalidValue", `"${attribute.name}" must be true or false.`);
  else assign(container, attribute, readValue(attribute, value));
}

/** Writes a path such as `name.givenName`. On a list, writes every element, or creates a first one. */
function writeSub(container: JsonObject, attribute: Attribute, sub: Attribute, value: unknown): void {
  const read = readValue(sub, value);
  if (attribute.multiValued) {
    if (listOf(container, attribute).length === 0 && read !== undefined) container[attribute.name] = [{}];
    for (const element of listOf(container, attribute)) assign(element, sub, read);
    return;
  }
  const parts = objectOf(container[attribute.name]) ?? {};
  assign(parts, sub, read);
  container[attribute.name] = parts;
}

function writeList(container: JsonObject, attribute: Attribute, value: unknown, op: "add" | "replace"): void {
  const read = readValue(attribute, value) as JsonObject[] | undefined;
  if (op === "replace") assign(container, attribute, read);
  else addElements(container, attribute, read ?? []);
}

/** "If the target location already contains the value specified, no changes SHOULD be made" (RFC 7644, 3.5.2.1). */
export function addElements(container: JsonObject, attribute: Attribute, elements: readonly JsonObject[]): void {
  const list = distinct(attribute, [...listOf(container, attribute), ...elements]);
  if (list.length > elementsMax) throw badRequest("invalidValue", `"${attribute.name}" has too many elements.`);
  if (list.length > 0) container[attribute.name] = list;
}

/**
 * Keeps one element for each type and value ("service providers SHOULD NOT return the same (type, value) combination
 * more than once", RFC 7643, 2.4). Later elements win, also in which one is primary. Each element is compared by a key
 * that is computed once: toComparison every pair would let a caller with a long list block the process.
 */
function distinct(attribute: Attribute, elements: readonly JsonObject[]): JsonObject[] {
  const value = subAttribute(attribute, "value");
  const kept = new Map<string, JsonObject>();
  let primary: JsonObject | null = null;
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

function keyOf(value: Attribute | null, element: JsonObject): string {
  const text = value && typeof element.value === "string" ? comparable(value, element.value) : null;
  if (text !== null) return JSON.stringify([String(element.type ?? "").toLowerCase(), text]);
  const { primary: _, ...rest } = element;
  return canonicalJson(rest);
}

/**
 * "Sub-attributes that are not specified … SHALL be left unchanged" (RFC 7644, 3.5.2.3); null removes one. When the
 * value itself changes, the old sub-attributes, such as a manager's address, are removed.
 */
function writeComplex(container: JsonObject, attribute: Attribute, value: unknown): void {
  // Some providers send the manager as a list of one.
  const given = Array.isArray(value) ? value[0] : value;
  if (given === undefined || given === null || given === "") {
    delete container[attribute.name];
    return;
  }
  const before = objectOf(container[attribute.name]) ?? {};
  const read = readElement(attribute, given) ?? {};
  const isOther = read.value !== undefined && read.value !== before.value;
  const parts: JsonObject = isOther ? read : { ...before, ...read };
  for (const [name, part] of entriesOf(objectOf(given) ?? {})) {
    const sub = attribute.subAttributes?.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (sub && (part === null || part === "")) delete parts[sub.name];
  }
  const isGone = before.value !== undefined && parts.value === undefined;
  assign(container, attribute, isGone ? undefined : parts);
}

export function assign(container: JsonObject, attribute: Attribute, value: unknown): void {
  if (value === undefined) delete container[attribute.name];
  else container[attribute.name] = value;
}

/** The elements of a list. This module made every one of them, which the cast relies on. */
export const listOf = (container: JsonObject, attribute: Attribute): JsonObject[] =>
  (container[attribute.name] as JsonObject[] | undefined) ?? [];

const describesOnly = new Set(["type", "primary"]);

/**
 * Normalizes a resource after its last change: removes elements without a value, duplicates, all but one primary, and
 * empty objects.
 */
export function normalize(type: ResourceType, resource: JsonObject): void {
  for (const schema of [type.core, ...type.extensions]) {
    const container = schema.valuePrefix === "" ? resource : objectOf(resource[schema.urn]);
    if (!container) continue;
    for (const attribute of schema.attributes) normalizeAttribute(container, attribute);
    if (container !== resource && Object.keys(container).length === 0) delete resource[schema.urn];
  }
}

function normalizeAttribute(container: JsonObject, attribute: Attribute): void {
  if (container[attribute.name] === undefined || attribute.type !== "complex") return;
  if (!attribute.multiValued) {
    if (Object.keys(objectOf(container[attribute.name]) ?? {}).length === 0) delete container[attribute.name];
    return;
  }
  const says = (each: JsonObject) => Object.keys(each).some((key) => !describesOnly.has(key));
  const elements = distinct(attribute, listOf(container, attribute).filter(says));
  assign(container, attribute, elements.length === 0 ? undefined : elements);
}
