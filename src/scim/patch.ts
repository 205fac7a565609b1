import { isDeepStrictEqual } from "node:util";
import { canonicalJson } from "../kernel/json.ts";
import { findPlace, type Place, subAttribute } from "./attribute-path.ts";
import type { Attribute } from "./attributes.ts";
import { addElements, assign, homeOf, listOf, writeAt, writeMembers } from "./change-resource.ts";
import { comparable } from "./comparable.ts";
import { type Filter, testsIn } from "./filter.ts";
import { matchesElement } from "./matches.ts";
import { type PatchTarget, readPatchPath } from "./patch-path.ts";
import { membersOf, objectOf, type Parts, readElement, readValue } from "./read-value.ts";
import { badRequest, type ScimRefused } from "./refusal.ts";
import type { ResourceType } from "./schemas.ts";

export interface PatchOperation {
  op: "add" | "replace" | "remove";
  path: string | null;
  value: unknown;
}

/** Each element of a list is compared with each of them, and a list may be long. */
const elementTestsMax = 10;

/** Words in any case: "Replace", "Add" and "Remove" come so. */
export function readPatch(body: Parts, operationsMax = 10_000): PatchOperation[] {
  const operations = membersOf(body).find(([name]) => name.toLowerCase() === "operations")?.[1];
  if (!Array.isArray(operations) || operations.length === 0) {
    throw badRequest("invalidSyntax", "A PATCH is a list of Operations.");
  }
  if (operations.length > operationsMax) throw badRequest("tooMany", "The PATCH has too many operations.");
  return operations.map(readOperation);
}

function readOperation(given: unknown): PatchOperation {
  const object = objectOf(given);
  if (!object) throw badRequest("invalidSyntax", "An operation is an object.");
  const members = new Map(membersOf(object).map(([name, value]) => [name.toLowerCase(), value]));
  const word = String(members.get("op") ?? "").toLowerCase();
  const op = (["add", "replace", "remove"] as const).find((each) => each === word);
  if (!op) throw badRequest("invalidSyntax", "An operation is add, replace or remove.");
  const path = members.get("path") ?? null;
  if (path !== null && typeof path !== "string") throw badRequest("invalidPath", "A path is a text.");
  if (op !== "remove" && !members.has("value")) throw badRequest("invalidValue", `The operation ${op} needs a value.`);
  return { op, path: path === "" ? null : path, value: members.get("value") };
}

/** One operation on a resource in memory. `shown` is the resource as callers see it: what nobody may write is compared with that. */
export function applyOperation(type: ResourceType, resource: Parts, shown: Parts, operation: PatchOperation): void {
  const { op, path, value } = operation;
  const readOnly = (place: Place, given: unknown) => refuseOther(shown, place, given);
  if (path === null) {
    if (op === "remove") throw badRequest("noTarget", "What to remove is named by a path.");
    const object = objectOf(value);
    if (!object) throw badRequest("invalidValue", "Without a path the value is an object with attributes.");
    const { paths, others } = apartFromPaths(type, object);
    writeMembers(type, resource, others, op, readOnly);
    for (const [name, part] of paths) applyOperation(type, resource, shown, { op, path: name, value: part });
    return;
  }
  const target = readPatchPath(type, path);
  if (target.elements && testsIn(target.elements) > elementTestsMax) {
    throw badRequest("tooMany", `A path tests each element up to ${elementTestsMax} times.`);
  }
  if (op === "remove") remove(resource, target, value);
  else if (target.elements) writeElements(resource, target, target.elements, value);
  else writeAt(type, resource, target.found, value, op, readOnly);
}

/** `{"emails[type eq \"work\"].value": …}`: names that are paths. Those of an unknown attribute are passed over, like every other. */
function apartFromPaths(type: ResourceType, object: Parts): { paths: [string, unknown][]; others: Parts } {
  const members = membersOf(object);
  if (!members.some(([name]) => name.includes("["))) return { paths: [], others: object };
  const isKnown = (name: string) => findPlace(type, name.slice(0, name.indexOf("["))) !== null;
  return {
    paths: members.filter(([name]) => name.includes("[") && isKnown(name)),
    others: Object.fromEntries(members.filter(([name]) => !name.includes("["))),
  };
}

/** "readOnly equal values are ignored, different ones are `mutability`": a provider echoes what it was told. */
function refuseOther(shown: Parts, { attribute, sub }: Place, given: unknown): void {
  const whole = shown[attribute.name];
  const current = sub ? objectOf(whole)?.[sub.name] : whole;
  if (isNone(given) && (given === null || isNone(current))) return;
  if (isDeepStrictEqual(current, given)) return;
  throw mutability(`"${attribute.name}" is not yours to change.`);
}

/** An empty list is not shown. */
const isNone = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

const mutability = (detail: string): ScimRefused => badRequest("mutability", detail);

/** `emails[type eq "work"].value`: the elements it means; where there is none, one is made from the filter itself. */
function writeElements(resource: Parts, { found, elementPart }: PatchTarget, filter: Filter, value: unknown): void {
  const { attribute } = found;
  if (!attribute || attribute.mutability === "readOnly") throw mutability("This list is not yours to change.");
  const home = homeOf(resource, found.schema);
  const matching = listOf(home, attribute).filter((each) => matchesElement(filter, each));
  const given = elementPart
    ? withoutNothing({ [elementPart.name]: readValue(elementPart, value) })
    : (readElement(attribute, value) ?? {});
  if (matching.length === 0) {
    if (Object.keys(given).length === 0) return;
    const made = elementFrom(filter);
    if (!made) throw badRequest("noTarget", "No element fits the filter, and it does not say how to make one.");
    addElements(home, attribute, [{ ...made, ...given }]);
    return;
  }
  if (given.primary === true) for (const each of listOf(home, attribute)) if (each.primary) each.primary = false;
  for (const element of matching) {
    Object.assign(element, given);
    if (elementPart && Object.keys(given).length === 0) assign(element, elementPart, undefined);
  }
}

const withoutNothing = (parts: Parts): Parts =>
  Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));

/** A filter that only says what is equal describes an element; any other describes none. */
function elementFrom(filter: Filter): Parts | null {
  if (filter.kind === "and") {
    const parts = filter.parts.map(elementFrom);
    return parts.includes(null) ? null : Object.assign({}, ...parts);
  }
  if (filter.kind !== "compare" || filter.op !== "eq" || !filter.place.sub) return null;
  return { [filter.place.sub.name]: readValue(filter.place.sub, filter.raw) };
}

function remove(resource: Parts, { found, elements, elementPart }: PatchTarget, value: unknown): void {
  const { attribute, sub, schema } = found;
  if (!attribute) {
    delete resource[schema.urn];
    return;
  }
  if (attribute.mutability === "readOnly") throw mutability(`"${attribute.name}" is not yours to remove.`);
  if (attribute.required) throw mutability(`"${attribute.name}" is required.`);
  const home = homeOf(resource, schema);
  if (elements) removeElements(home, attribute, elementPart, elements);
  else if (sub) removePart(home, attribute, sub);
  else if (attribute.multiValued && value !== undefined && value !== null) removeListed(home, attribute, value);
  // "The attribute SHALL be considered unassigned" (RFC 7644, 3.5.2.2): nobody says any more that the account works.
  else if (attribute.name === "active") home.active = false;
  else delete home[attribute.name];
}

function removePart(home: Parts, attribute: Attribute, sub: Attribute): void {
  const holders = attribute.multiValued ? listOf(home, attribute) : [objectOf(home[attribute.name]) ?? {}];
  for (const parts of holders) delete parts[sub.name];
}

/** A list of what to remove means exactly that, and not the whole attribute. */
function removeListed(home: Parts, attribute: Attribute, value: unknown): void {
  const listed = (readValue(attribute, value) ?? []) as Parts[];
  const main = subAttribute(attribute, "value");
  const mainOf = (each: Parts): string | null =>
    main && each.value !== undefined ? comparable(main, String(each.value)) : null;
  const values = new Set(listed.map(mainOf));
  const wholes = new Set(listed.filter((each) => mainOf(each) === null).map(canonicalJson));
  const isListed = (element: Parts): boolean => {
    const own = mainOf(element);
    return (own !== null && values.has(own)) || wholes.has(canonicalJson(element));
  };
  home[attribute.name] = listOf(home, attribute).filter((element) => !isListed(element));
}

function removeElements(home: Parts, attribute: Attribute, part: Attribute | null, filter: Filter): void {
  const all = listOf(home, attribute);
  const matching = all.filter((each) => matchesElement(filter, each));
  if (matching.length === 0) throw badRequest("noTarget", "No element fits the filter.");
  if (part) for (const element of matching) delete element[part.name];
  else home[attribute.name] = all.filter((each) => !matching.includes(each));
}
