import type { AttributePath } from "../schema/attribute-path.ts";
import { type JsonObject, objectOf } from "../schema/read-value.ts";
import { comparable } from "./comparable-value.ts";
import { type Comparison, type Filter, leafOf } from "./parse-filter.ts";

/**
 * Evaluates a filter in memory: for the elements that a PATCH path selects, and as the reference for tests of the
 * store.
 */
export function matches(filter: Filter, resource: JsonObject): boolean {
  switch (filter.kind) {
    case "and":
      return filter.parts.every((part) => matches(part, resource));
    case "or":
      return filter.parts.some((part) => matches(part, resource));
    case "not":
      return !matches(filter.part, resource);
    case "present":
      return holdersOf(filter.path, resource).some((holder) => isPresent(filter.path, holder));
    case "compare":
      return holdersOf(filter.path, resource).some((holder) =>
        valuesIn(filter.path, holder).some((value) => matchesText(filter.op, value, filter.value)),
      );
    case "element":
      return holdersOf(filter.path, resource).some((element) => matchesElement(filter.part, element));
  }
}

/** Evaluates a filter on one element of a list: names are sub-attributes. */
export function matchesElement(filter: Filter, element: JsonObject): boolean {
  switch (filter.kind) {
    case "and":
      return filter.parts.every((part) => matchesElement(part, element));
    case "or":
      return filter.parts.some((part) => matchesElement(part, element));
    case "not":
      return !matchesElement(filter.part, element);
    case "present":
      return isPresent(filter.path, element);
    case "compare":
      return valuesIn(filter.path, element).some((value) => matchesText(filter.op, value, filter.value));
    case "element":
      return false;
  }
}

/**
 * Returns the objects that hold the value: the elements of a complex attribute, otherwise the object with the
 * attributes.
 */
function holdersOf({ schema, attribute }: AttributePath, resource: JsonObject): JsonObject[] {
  const container = schema.valuePrefix === "" ? resource : objectOf(resource[schema.urn]);
  if (!container) return [];
  if (attribute.type !== "complex") return [container];
  const value = container[attribute.name];
  return (Array.isArray(value) ? value : [value]).map(objectOf).filter((each) => each !== null);
}

function isPresent(path: AttributePath, holder: JsonObject): boolean {
  if (path.attribute.type === "complex" && !path.sub) return Object.keys(holder).length > 0;
  return valuesIn(path, holder).length > 0;
}

function valuesIn(path: AttributePath, holder: JsonObject): string[] {
  const leaf = leafOf(path);
  const value = leaf ? holder[leaf.name] : undefined;
  if (!leaf || (typeof value !== "string" && typeof value !== "boolean")) return [];
  const text = comparable(leaf, value);
  return text === null || text === "" ? [] : [text];
}

export function matchesText(op: Comparison | "pr", value: string, wanted: string): boolean {
  switch (op) {
    case "pr":
      return true;
    case "eq":
      return value === wanted;
    case "co":
      return value.includes(wanted);
    case "sw":
      return value.startsWith(wanted);
    case "ew":
      return value.endsWith(wanted);
    default: {
      // Compares bytes, as the stores do: UTF-16 order differs for characters beyond the first plane.
      const order = Buffer.compare(Buffer.from(value), Buffer.from(wanted));
      return op === "gt" ? order > 0 : op === "ge" ? order >= 0 : op === "lt" ? order < 0 : order <= 0;
    }
  }
}
