import type { Place } from "./attribute-path.ts";
import { comparable } from "./comparable.ts";
import { type Comparison, type Filter, leafOf } from "./filter.ts";
import { objectOf, type Parts } from "./read-value.ts";

/** Whether a filter holds, asked of an object in memory: the elements that a PATCH path means, and what the store is tested against. */
export function matches(filter: Filter, resource: Parts): boolean {
  switch (filter.kind) {
    case "and":
      return filter.parts.every((part) => matches(part, resource));
    case "or":
      return filter.parts.some((part) => matches(part, resource));
    case "not":
      return !matches(filter.part, resource);
    case "present":
      return holdersOf(filter.place, resource).some((holder) => isPresent(filter.place, holder));
    case "compare":
      return holdersOf(filter.place, resource).some((holder) =>
        valuesIn(filter.place, holder).some((value) => matchesText(filter.op, value, filter.value)),
      );
    case "element":
      return holdersOf(filter.place, resource).some((element) => matchesElement(filter.part, element));
  }
}

/** The same within one element of a list: names are sub-attributes there. */
export function matchesElement(filter: Filter, element: Parts): boolean {
  switch (filter.kind) {
    case "and":
      return filter.parts.every((part) => matchesElement(part, element));
    case "or":
      return filter.parts.some((part) => matchesElement(part, element));
    case "not":
      return !matchesElement(filter.part, element);
    case "present":
      return isPresent(filter.place, element);
    case "compare":
      return valuesIn(filter.place, element).some((value) => matchesText(filter.op, value, filter.value));
    case "element":
      return false;
  }
}

/** The objects that hold the value: the parts of a complex attribute or the elements of a list, otherwise the resource. */
function holdersOf({ schema, attribute }: Place, resource: Parts): Parts[] {
  const home = schema.keptUnder === "" ? resource : objectOf(resource[schema.urn]);
  if (!home) return [];
  if (attribute.type !== "complex") return [home];
  const value = home[attribute.name];
  return (Array.isArray(value) ? value : [value]).map(objectOf).filter((each) => each !== null);
}

function isPresent(place: Place, holder: Parts): boolean {
  if (place.attribute.type === "complex" && !place.sub) return Object.keys(holder).length > 0;
  return valuesIn(place, holder).length > 0;
}

function valuesIn(place: Place, holder: Parts): string[] {
  const leaf = leafOf(place);
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
      // Bytes, as the stores compare: the order of UTF-16 units is another one for characters beyond the first plane.
      const order = Buffer.compare(Buffer.from(value), Buffer.from(wanted));
      return op === "gt" ? order > 0 : op === "ge" ? order >= 0 : op === "lt" ? order < 0 : order <= 0;
    }
  }
}
