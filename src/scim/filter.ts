import { findPlace, type Place, subAttribute } from "./attribute-path.ts";
import type { Attribute } from "./attributes.ts";
import { comparable } from "./comparable.ts";
import { FilterReader, type Literal, refuseFilter } from "./filter-reader.ts";
import type { ResourceType, Schema } from "./schemas.ts";

export const comparisons = ["eq", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;
export type Comparison = (typeof comparisons)[number];

/**
 * A filter whose names were found in the table and whose values are ready to be compared (`raw` is what was written). `ne` has become the opposite of
 * `eq`, and `eq null` the opposite of `pr`: whoever has no value is not equal to any.
 */
export type Filter =
  | { kind: "and" | "or"; parts: Filter[] }
  | { kind: "not"; part: Filter }
  | { kind: "present"; place: Place }
  | { kind: "compare"; place: Place; op: Comparison; value: string; raw: string }
  | { kind: "element"; place: Place; part: Filter };

const depthMax = 20;
/** Tests that no index answers, so that each looks at every value of its kind: with 100,000 people, a noticeable time for each. */
const scansMax = 10;

interface Reading {
  reader: FilterReader;
  /** What a name means here: anywhere in the resource, or within the element of a list. */
  find(name: string): Place | null;
  /** The list whose elements are looked at, inside its brackets. */
  within: Place | null;
  type: ResourceType;
}

/** RFC 7644, 3.4.2.2: the whole grammar, by recursive descent. */
export function readFilter(type: ResourceType, text: string): Filter {
  const reader = new FilterReader(text);
  const find = (name: string): Place | null => {
    const found = findPlace(type, name);
    return found?.attribute ? found : null;
  };
  const filter = readOr({ reader, find, within: null, type }, 0);
  if (reader.peek() !== "") throw refuseFilter("something stands behind its end.");
  if (scansIn(filter) > scansMax)
    throw refuseFilter(`it has more than ${scansMax} tests other than eq, ne, sw and pr.`);
  return filter;
}

type Test = Extract<Filter, { kind: "present" | "compare" }>;

function countIn(filter: Filter, counts: (test: Test) => boolean): number {
  switch (filter.kind) {
    case "and":
    case "or":
      return filter.parts.reduce((sum, part) => sum + countIn(part, counts), 0);
    case "not":
    case "element":
      return countIn(filter.part, counts);
    default:
      return counts(filter) ? 1 : 0;
  }
}

const scansIn = (filter: Filter): number =>
  countIn(filter, (test) => test.kind === "compare" && test.op !== "eq" && test.op !== "sw");

export const testsIn = (filter: Filter): number => countIn(filter, () => true);

/** The filter in the brackets of a PATCH path: its names are sub-attributes of the list. */
export function readElementFilter(type: ResourceType, list: Place, reader: FilterReader): Filter {
  return readOr(inside({ reader, find: () => null, within: null, type }, list), 1);
}

function readOr(reading: Reading, depth: number): Filter {
  const parts = [readAnd(reading, depth)];
  while (reading.reader.takeWord("or")) parts.push(readAnd(reading, depth));
  return parts.length === 1 ? (parts[0] as Filter) : { kind: "or", parts };
}

function readAnd(reading: Reading, depth: number): Filter {
  const parts = [readTerm(reading, depth)];
  while (reading.reader.takeWord("and")) parts.push(readTerm(reading, depth));
  return parts.length === 1 ? (parts[0] as Filter) : { kind: "and", parts };
}

function readTerm(reading: Reading, depth: number): Filter {
  if (depth > depthMax) throw refuseFilter(`it is nested deeper than ${depthMax} levels.`);
  const { reader } = reading;
  if (reader.takeWord("not")) {
    reader.expect("(");
    const part = readOr(reading, depth + 1);
    reader.expect(")");
    return { kind: "not", part };
  }
  if (reader.take("(")) {
    const part = readOr(reading, depth + 1);
    reader.expect(")");
    return part;
  }
  return readTest(reading, depth);
}

function readTest(reading: Reading, depth: number): Filter {
  const { reader } = reading;
  const name = reader.word();
  const place = reading.find(name);
  if (!place || place.attribute.returned === "never")
    throw refuseFilter(`there is no attribute "${name}" to filter by.`);
  if (reader.take("[")) return readElement(reading, place, name, depth);
  return readComparison(reader, place, name);
}

/** `emails[type eq "work"]`, and `emails[type eq "work"].value eq "x"`, which is not in the grammar and comes all the same. */
function readElement(reading: Reading, place: Place, name: string, depth: number): Filter {
  const { reader } = reading;
  const isList = place.attribute.multiValued && place.attribute.type === "complex" && !place.sub;
  if (reading.within || !isList) throw refuseFilter(`"${name}" is no list of elements.`);
  const part = readOr(inside(reading, place), depth + 1);
  reader.expect("]");
  if (!reader.takeDirectly(".")) return { kind: "element", place, part };
  const subName = reader.word();
  const sub = subAttribute(place.attribute, subName);
  if (!sub) throw refuseFilter(`there is no attribute "${name}.${subName}" to filter by.`);
  const test = readComparison(reader, { ...place, sub }, `${name}.${subName}`);
  return { kind: "element", place, part: { kind: "and", parts: [part, test] } };
}

const inside = (reading: Reading, list: Place): Reading => ({
  ...reading,
  within: list,
  find: (name) => {
    const sub = subAttribute(list.attribute, name);
    return sub ? { ...list, sub } : null;
  },
});

function readComparison(reader: FilterReader, place: Place, name: string): Filter {
  const op = reader.word().toLowerCase();
  if (op === "pr") return { kind: "present", place };
  const isOpposite = op === "ne";
  const comparison = comparisons.find((each) => each === (isOpposite ? "eq" : op));
  if (!comparison) throw refuseFilter(`"${op}" is no operator.`);
  const literal = reader.literal();
  const test = comparing(place, comparison, literal, name);
  return isOpposite ? opposite(test) : test;
}

const opposite = (filter: Filter): Filter => (filter.kind === "not" ? filter.part : { kind: "not", part: filter });

function comparing(place: Place, op: Comparison, literal: Literal, name: string): Filter {
  if (literal === null) {
    if (op !== "eq") throw refuseFilter(`null can be compared with eq and ne alone.`);
    return { kind: "not", part: { kind: "present", place } };
  }
  const leaf = leafOf(place);
  if (!leaf) throw refuseFilter(`"${name}" has several parts; name one of them.`);
  // "If the attribute is a boolean or binary, … the comparison fails" for all but equality (RFC 7644, table 3).
  const isOrdered = leaf.type !== "boolean" && leaf.type !== "binary";
  if (op !== "eq" && !isOrdered) throw refuseFilter(`"${name}" cannot be compared with ${op}.`);
  const value = leaf.type === "dateTime" && /^(co|sw|ew)$/.test(op) ? String(literal) : comparable(leaf, literal);
  if (value === null) throw refuseFilter(`"${name}" cannot be compared with ${JSON.stringify(literal)}.`);
  return {
    kind: "compare",
    place: { ...place, sub: leaf === place.attribute ? null : leaf },
    op,
    value,
    raw: String(literal),
  };
}

/** The simple attribute that a place means: a list or a part that has a `value` is compared by that. */
export function leafOf({ attribute, sub }: Place): Attribute | null {
  if (sub) return sub;
  return attribute.type === "complex" ? subAttribute(attribute, "value") : attribute;
}

/** The name under which the values of a place are kept, and looked for. */
export const keptAs = (schema: Schema, attribute: Attribute, sub: Attribute | null): string =>
  `${schema.keptUnder}${attribute.name}${sub ? `.${sub.name}` : ""}`.toLowerCase();
