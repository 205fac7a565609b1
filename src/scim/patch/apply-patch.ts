import { isDeepStrictEqual } from "node:util";
import { canonicalJson } from "../../kernel/strict-json.ts";
import { comparable } from "../filters/comparable-value.ts";
import { matchesElement } from "../filters/match-in-memory.ts";
import { type Filter, testsIn } from "../filters/parse-filter.ts";
import { badRequest, type ScimRefused } from "../response/scim-error.ts";
import { type AttributePath, resolvePath, subAttribute } from "../schema/attribute-path.ts";
import type { Attribute } from "../schema/attribute-types.ts";
import { entriesOf, type JsonObject, objectOf, readElement, readValue } from "../schema/read-value.ts";
import type { ResourceType } from "../schema/schemas.ts";
import { type PatchTarget, readPatchPath } from "./parse-patch-path.ts";
import { addElements, assign, containerOf, listOf, type ResourceWrite, writeAt, writeMembers } from "./write-values.ts";

export interface PatchOperation {
  op: "add" | "replace" | "remove";
  path: string | null;
  value: unknown;
}

/** Each element of a list is tested by each of them, and a list can be long. */
const elementTestsMax = 10;

/** Operation names are case-insensitive: providers send "Replace", "Add" and "Remove". */
export function readPatch(body: JsonObject, operationsMax = 10_000): PatchOperation[] {
  const operations = entriesOf(body).find(([name]) => name.toLowerCase() === "operations")?.[1];
  if (!Array.isArray(operations) || operations.length === 0) {
    throw badRequest("invalidSyntax", "A PATCH must have a list of Operations.");
  }
  if (operations.length > operationsMax) throw badRequest("tooMany", "The PATCH has too many operations.");
  return operations.map(readOperation);
}

function readOperation(given: unknown): PatchOperation {
  const object = objectOf(given);
  if (!object) throw badRequest("invalidSyntax", "An operation must be an object.");
  const members = new Map(entriesOf(object).map(([name, value]) => [name.toLowerCase(), value]));
  const word = String(members.get("op") ?? "").toLowerCase();
  const op = (["add", "replace", "remove"] as const).find((each) => each === word);
  if (!op) throw badRequest("invalidSyntax", "op must be add, replace or remove.");
  const path = members.get("path") ?? null;
  if (path !== null && typeof path !== "string") throw badRequest("invalidPath", "A path must be a string.");
  if (op !== "remove" && !members.has("value")) throw badRequest("invalidValue", `The operation ${op} needs a value.`);
  return { op, path: path === "" ? null : path, value: members.get("value") };
}

/**
 * Applies one operation to a resource in memory. Values of read-only attributes must equal those in `shown`, the
 * resource as callers see it.
 */
export function applyOperation(
  type: ResourceType,
  resource: JsonObject,
  shown: JsonObject,
  operation: PatchOperation,
): void {
  const { op, path, value } = operation;
  const onReadOnly: ResourceWrite["onReadOnly"] = (attribute, given) => refuseReadOnlyChange(shown, attribute, given);
  if (path === null) {
    if (op === "remove") throw badRequest("noTarget", "The operation remove needs a path.");
    const object = objectOf(value);
    if (!object) throw badRequest("invalidValue", "Without a path, the value must be an object with attributes.");
    const { paths, others } = separatePaths(type, object);
    writeMembers({ type, resource, op, onReadOnly }, others);
    for (const [name, part] of paths) applyOperation(type, resource, shown, { op, path: name, value: part });
    return;
  }
  const target = readPatchPath(type, path);
  if (target.elements && testsIn(target.elements) > elementTestsMax) {
    throw badRequest("tooMany", `A path can have at most ${elementTestsMax} comparisons.`);
  }
  if (op === "remove") remove(resource, target, value);
  else if (target.elements) writeElements(resource, target, target.elements, value);
  else writeAt({ type, resource, op, onReadOnly }, target.path, value);
}

/** Separates names that are paths, such as `{"emails[type eq \"work\"].value": …}`. Ignores unknown attributes. */
function separatePaths(type: ResourceType, object: JsonObject): { paths: [string, unknown][]; others: JsonObject } {
  const members = entriesOf(object);
  if (!members.some(([name]) => name.includes("["))) return { paths: [], others: object };
  const isKnown = (name: string) => resolvePath(type, name.slice(0, name.indexOf("["))) !== null;
  return {
    paths: members.filter(([name]) => name.includes("[") && isKnown(name)),
    others: Object.fromEntries(members.filter(([name]) => !name.includes("["))),
  };
}

/** "readOnly equal values are ignored, different ones are `mutability`": a provider sends back what it has read. */
function refuseReadOnlyChange(shown: JsonObject, { attribute, sub }: AttributePath, given: unknown): void {
  const whole = shown[attribute.name];
  const current = sub ? objectOf(whole)?.[sub.name] : whole;
  if (isEmpty(given) && (given === null || isEmpty(current))) return;
  if (isDeepStrictEqual(current, given)) return;
  throw mutability(`"${attribute.name}" is read-only.`);
}

/** An empty list counts as no value, because responses omit it. */
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

const mutability = (detail: string): ScimRefused => badRequest("mutability", detail);

/**
 * Writes to the elements that `emails[type eq "work"].value` selects. If there is none, creates one from the filter.
 */
function writeElements(resource: JsonObject, { path, elementSub }: PatchTarget, filter: Filter, value: unknown): void {
  const { attribute } = path;
  if (!attribute || attribute.mutability === "readOnly") throw mutability("This list is read-only.");
  const container = containerOf(resource, path.schema);
  const matching = listOf(container, attribute).filter((each) => matchesElement(filter, each));
  const given = elementSub
    ? withoutUndefined({ [elementSub.name]: readValue(elementSub, value) })
    : (readElement(attribute, value) ?? {});
  if (matching.length === 0) {
    if (Object.keys(given).length === 0) return;
    const made = elementFrom(filter);
    if (!made) throw badRequest("noTarget", "No element matches the filter, and the filter does not define a new one.");
    addElements(container, attribute, [{ ...made, ...given }]);
    return;
  }
  if (given.primary === true) for (const each of listOf(container, attribute)) if (each.primary) each.primary = false;
  for (const element of matching) {
    Object.assign(element, given);
    if (elementSub && Object.keys(given).length === 0) assign(element, elementSub, undefined);
  }
}

const withoutUndefined = (parts: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));

/** A filter that only tests equality describes an element. Returns null for any other. */
function elementFrom(filter: Filter): JsonObject | null {
  if (filter.kind === "and") {
    const parts = filter.parts.map(elementFrom);
    return parts.includes(null) ? null : Object.assign({}, ...parts);
  }
  if (filter.kind !== "compare" || filter.op !== "eq" || !filter.path.sub) return null;
  return { [filter.path.sub.name]: readValue(filter.path.sub, filter.raw) };
}

function remove(resource: JsonObject, { path, elements, elementSub }: PatchTarget, value: unknown): void {
  const { attribute, sub, schema } = path;
  if (!attribute) {
    delete resource[schema.urn];
    return;
  }
  if (attribute.mutability === "readOnly") throw mutability(`"${attribute.name}" is read-only and cannot be removed.`);
  if (attribute.required) throw mutability(`"${attribute.name}" is required and cannot be removed.`);
  const container = containerOf(resource, schema);
  if (elements) removeElements(container, attribute, elementSub, elements);
  else if (sub) removePart(container, attribute, sub);
  else if (attribute.multiValued && value !== undefined && value !== null) removeListed(container, attribute, value);
  // "The attribute SHALL be considered unassigned" (RFC 7644, 3.5.2.2): an account without `active` is inactive.
  else if (attribute.name === "active") container.active = false;
  else delete container[attribute.name];
}

function removePart(container: JsonObject, attribute: Attribute, sub: Attribute): void {
  const holders = attribute.multiValued ? listOf(container, attribute) : [objectOf(container[attribute.name]) ?? {}];
  for (const parts of holders) delete parts[sub.name];
}

/** Removes the listed elements, not the whole attribute. */
function removeListed(container: JsonObject, attribute: Attribute, value: unknown): void {
  const listed = (readValue(attribute, value) ?? []) as JsonObject[];
  const main = subAttribute(attribute, "value");
  const mainOf = (each: JsonObject): string | null =>
    main && each.value !== undefined ? comparable(main, String(each.value)) : null;
  const values = new Set(listed.map(mainOf));
  const wholes = new Set(listed.filter((each) => mainOf(each) === null).map(canonicalJson));
  const isListed = (element: JsonObject): boolean => {
    const own = mainOf(element);
    return (own !== null && values.has(own)) || wholes.has(canonicalJson(element));
  };
  container[attribute.name] = listOf(container, attribute).filter((element) => !isListed(element));
}

function removeElements(container: JsonObject, attribute: Attribute, part: Attribute | null, filter: Filter): void {
  const all = listOf(container, attribute);
  const matching = all.filter((each) => matchesElement(filter, each));
  if (matching.length === 0) throw badRequest("noTarget", "No element matches the filter.");
  if (part) for (const element of matching) delete element[part.name];
  else container[attribute.name] = all.filter((each) => !matching.includes(each));
}
