import { invalid } from "../wire/api-error.ts";
import type { Filter, FilterExpression, NumericValue } from "./request.ts";

/** Every field that a filter names, in order. */
export function filterFields(expression: FilterExpression | undefined): string[] {
  if (!expression) return [];
  const group = expression.andGroup ?? expression.orGroup;
  if (group) return (group.expressions ?? []).flatMap(filterFields);
  if (expression.notExpression) return filterFields(expression.notExpression);
  return expression.filter ? [expression.filter.fieldName ?? ""] : [];
}

/** Walks a filter with the test of each leaf already known: by values of rows, or by masks of events. */
export function foldFilter<Result>(
  expression: FilterExpression,
  leaf: (filter: Filter) => Result,
  combine: { and: (all: Result[]) => Result; or: (all: Result[]) => Result; not: (one: Result) => Result },
): Result {
  const fold = (each: FilterExpression): Result => foldFilter(each, leaf, combine);
  if (expression.andGroup) return combine.and(expressionsOf(expression.andGroup).map(fold));
  if (expression.orGroup) return combine.or(expressionsOf(expression.orGroup).map(fold));
  if (expression.notExpression) return combine.not(fold(expression.notExpression));
  if (expression.filter) return leaf(expression.filter);
  throw invalid("A FilterExpression must have one of andGroup, orGroup, notExpression, filter.");
}

function expressionsOf(group: { expressions?: FilterExpression[] }): FilterExpression[] {
  if (!group.expressions || group.expressions.length === 0) {
    throw invalid("A FilterExpressionList must contain at least one expression.");
  }
  return group.expressions;
}

/** The test of one filter on a dimension's value. */
export function textTest(filter: Filter): (value: string) => boolean {
  const { stringFilter, inListFilter, emptyFilter } = filter;
  if (stringFilter) return stringTest(stringFilter);
  if (inListFilter) {
    if (!inListFilter.values || inListFilter.values.length === 0) {
      throw invalid(`The inListFilter on ${filter.fieldName} must contain at least one value.`);
    }
    const fold = inListFilter.caseSensitive ? identity : lower;
    const wanted = new Set(inListFilter.values.map(fold));
    return (value) => wanted.has(fold(value));
  }
  if (emptyFilter) return (value) => value === "" || value === "(not set)";
  const test = numberTest(filter);
  return (value) => value.trim() !== "" && test(Number(value));
}

/** The test of one filter on a metric's value. */
export function numberTest(filter: Filter): (value: number) => boolean {
  const { numericFilter, betweenFilter, fieldName } = filter;
  if (betweenFilter) {
    const from = numberOf(betweenFilter.fromValue, fieldName);
    const to = numberOf(betweenFilter.toValue, fieldName);
    return (value) => value >= from && value <= to;
  }
  if (!numericFilter) {
    throw invalid(
      filter.stringFilter || filter.inListFilter || filter.emptyFilter
        ? `The filter on metric ${fieldName} must be a numericFilter or a betweenFilter.`
        : `The filter on ${fieldName} must have one of stringFilter, inListFilter, numericFilter, betweenFilter, emptyFilter.`,
    );
  }
  const wanted = numberOf(numericFilter.value, fieldName);
  switch (numericFilter.operation) {
    case "EQUAL":
      return (value) => value === wanted;
    case "LESS_THAN":
      return (value) => value < wanted;
    case "LESS_THAN_OR_EQUAL":
      return (value) => value <= wanted;
    case "GREATER_THAN":
      return (value) => value > wanted;
    case "GREATER_THAN_OR_EQUAL":
      return (value) => value >= wanted;
    default:
      throw invalid(`The numericFilter on ${fieldName} must have an operation.`);
  }
}

function numberOf(value: NumericValue | undefined, fieldName: string | undefined): number {
  const number = value?.int64Value ?? value?.doubleValue;
  if (number === undefined) throw invalid(`The filter on ${fieldName} must have an int64Value or a doubleValue.`);
  return number;
}

const identity = (text: string): string => text;
const lower = (text: string): string => text.toLowerCase();

function stringTest({
  matchType,
  value = "",
  caseSensitive,
}: NonNullable<Filter["stringFilter"]>): (text: string) => boolean {
  const fold = caseSensitive ? identity : lower;
  const wanted = fold(value);
  switch (matchType) {
    case "BEGINS_WITH":
      return (text) => fold(text).startsWith(wanted);
    case "ENDS_WITH":
      return (text) => fold(text).endsWith(wanted);
    case "CONTAINS":
      return (text) => fold(text).includes(wanted);
    case "FULL_REGEXP":
    case "PARTIAL_REGEXP": {
      const pattern = compile(matchType === "FULL_REGEXP" ? `^(?:${value})$` : value, value, caseSensitive);
      return (text) => pattern.test(text);
    }
    // Unspecified is read as EXACT.
    default:
      return (text) => fold(text) === wanted;
  }
}

function compile(pattern: string, shown: string, caseSensitive: boolean | undefined): RegExp {
  try {
    return new RegExp(pattern, caseSensitive ? "u" : "iu");
  } catch {
    throw invalid(`The regular expression ${shown} is invalid.`);
  }
}
