import { type AttributePath, resolvePath, subAttribute } from "../schema/attribute-path.ts";
import type { Attribute } from "../schema/attribute-types.ts";
import type { ResourceType, Schema } from "../schema/schemas.ts";
import { comparable } from "./comparable-value.ts";
import { FilterReader, type Literal, refuseFilter } from "./filter-tokens.ts";

export const comparisons = ["eq", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;
export type Comparison = (typeof comparisons)[number];

/**
 * A parsed filter: names are resolved against the schema table, and values are ready to compare (`raw` is the literal
 * as written). `ne` is parsed as not `eq`, and `eq null` as not `pr`: a missing value equals no value.
 */
export type Filter =
  | { kind: "and" | "or"; parts: Filter[] }
  | { kind: "not"; part: Filter }
  | { kind: "present"; path: AttributePath }
  | { kind: "compare"; path: AttributePath; op: Comparison; value: string; raw: string }
  | { kind: "element"; path: AttributePath; part: Filter };

const depthMax = 20;
/**
 * The limit of tests that no index serves. Each scans all values of its attribute, which takes noticeable time with
 * 100,000 people.
 */
const scansMax = 10;

interface ParserState {
  reader: FilterReader;
  /** Resolves a name: in the whole resource, or inside brackets among the sub-attributes of the list. */
  find(name: string): AttributePath | null;
  /** Inside brackets, the list whose elements are tested. */
  within: AttributePath | null;
  type: ResourceType;
}

/**
 * Parses the whole grammar of RFC 7644, 3.4.2.2, by recursive descent. Written by hand, because most of it is what a library leaves to
 * its caller: names and values are checked against the schema, depth and scans are limited, and what providers send beyond the grammar is read.
 */
export function readFilter(type: ResourceType, text: string): Filter {
  const reader = new FilterReader(text);
  const find = (name: string): AttributePath | null => {
    const found = resolvePath(type, name);
    return found?.attribute ? found : null;
  };
  const filter = readOr({ reader, find, within: null, type }, 0);
  if (reader.peek() !== "") throw refuseFilter("there is text after its end.");
  if (scansIn(filter) > scansMax)
    throw refuseFilter(`it has more than ${scansMax} comparisons other than eq, ne, sw and pr.`);
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

/** Parses the filter in the brackets of a PATCH path. Its names are sub-attributes of the list. */
export function readElementFilter(type: ResourceType, list: AttributePath, reader: FilterReader): Filter {
  return readOr(inside({ reader, find: () => null, within: null, type }, list), 1);
}

function readOr(state: ParserState, depth: number): Filter {
  const parts = [readAnd(state, depth)];
  while (state.reader.takeWord("or")) parts.push(readAnd(state, depth));
  return parts.length === 1 ? (parts[0] as Filter) : { kind: "or", parts };
}

function readAnd(state: ParserState, depth: number): Filter {
  const parts = [readTerm(state, depth)];
  while (state.reader.takeWord("and")) parts.push(readTerm(state, depth));
  return parts.length === 1 ? (parts[0] as Filter) : { kind: "and", parts };
}

function readTerm(state: ParserState, depth: number): Filter {
  if (depth > depthMax) throw refuseFilter(`it is nested deeper than ${depthMax} levels.`);
  const { reader } = state;
  if (reader.takeWord("not")) {
    reader.expect("(");
    const part = readOr(state, depth + 1);
    reader.expect(")");
    return { kind: "not", part };
  }
  if (reader.take("(")) {
    const part = readOr(state, depth + 1);
    reader.expect(")");
    return part;
  }
  return readTest(state, depth);
}

function readTest(state: ParserState, depth: number): Filter {
  const { reader } = state;
  const name = reader.word();
  const path = state.find(name);
  if (!path || path.attribute.returned === "never") throw refuseFilter(`there is no attribute "${name}" to filter by.`);
  if (reader.take("[")) return readElement(state, path, name, depth);
  return readComparison(reader, path, name);
}

/**
 * Parses `emails[type eq "work"]`, and also `emails[type eq "work"].value eq "x"`, which providers send although the
 * grammar lacks it.
 */
function readElement(state: ParserState, path: AttributePath, name: string, depth: number): Filter {
  const { reader } = state;
  const isList = path.attribute.multiValued && path.attribute.type === "complex" && !path.sub;
  if (state.within || !isList) throw refuseFilter(`"${name}" is not a list of elements.`);
  const part = readOr(inside(state, path), depth + 1);
  reader.expect("]");
  if (!reader.takeAdjacent(".")) return { kind: "element", path, part };
  const subName = reader.word();
  const sub = subAttribute(path.attribute, subName);
  if (!sub) throw refuseFilter(`there is no attribute "${name}.${subName}" to filter by.`);
  const test = readComparison(reader, { ...path, sub }, `${name}.${subName}`);
  return { kind: "element", path, part: { kind: "and", parts: [part, test] } };
}

const inside = (state: ParserState, list: AttributePath): ParserState => ({
  ...state,
  within: list,
  find: (name) => {
    const sub = subAttribute(list.attribute, name);
    return sub ? { ...list, sub } : null;
  },
});

function readComparison(reader: FilterReader, path: AttributePath, name: string): Filter {
  const op = reader.word().toLowerCase();
  if (op === "pr") return { kind: "present", path };
  const isNegated = op === "ne";
  const comparison = comparisons.find((each) => each === (isNegated ? "eq" : op));
  if (!comparison) throw refuseFilter(`"${op}" is not an operator.`);
  const literal = reader.literal();
  const test = toComparison(path, comparison, literal, name);
  return isNegated ? negate(test) : test;
}

const negate = (filter: Filter): Filter => (filter.kind === "not" ? filter.part : { kind: "not", part: filter });

function toComparison(path: AttributePath, op: Comparison, literal: Literal, name: string): Filter {
  if (literal === null) {
    if (op !== "eq") throw refuseFilter(`null can only be compared with eq and ne.`);
    return { kind: "not", part: { kind: "present", path } };
  }
  const leaf = leafOf(path);
  if (!leaf) throw refuseFilter(`"${name}" has sub-attributes; name one of them.`);
  // "If the attribute is a boolean or binary, … the comparison fails" for all but equality (RFC 7644, table 3).
  const isOrdered = leaf.type !== "boolean" && leaf.type !== "binary";
  if (op !== "eq" && !isOrdered) throw refuseFilter(`"${name}" cannot be compared with ${op}.`);
  const value = leaf.type === "dateTime" && /^(co|sw|ew)$/.test(op) ? String(literal) : comparable(leaf, literal);
  if (value === null) throw refuseFilter(`"${name}" cannot be compared with ${JSON.stringify(literal)}.`);
  return {
    kind: "compare",
    path: { ...path, sub: leaf === path.attribute ? null : leaf },
    op,
    value,
    raw: String(literal),
  };
}

/**
 * Returns the simple attribute that a path compares: the `value` of a complex attribute, otherwise the attribute
 * itself.
 */
export function leafOf({ attribute, sub }: AttributePath): Attribute | null {
  if (sub) return sub;
  return attribute.type === "complex" ? subAttribute(attribute, "value") : attribute;
}

/** The name under which the store keeps the values of an attribute. */
export const storedName = (schema: Schema, attribute: Attribute, sub: Attribute | null): string =>
  `${schema.valuePrefix}${attribute.name}${sub ? `.${sub.name}` : ""}`.toLowerCase();
