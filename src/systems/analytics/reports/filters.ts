import * as z from "zod";
import { isMetricName } from "../options/known-fields.ts";
import { numberOf } from "../protocol/vendor-json.ts";
import { all, type FilterExpression } from "./filter-expression.ts";

/** Filters as a simple list: "a list of {field, operator, value} that must all hold". */

const operators = [
  "equals",
  "not_equals",
  "contains",
  "begins_with",
  "ends_with",
  "matches",
  "in",
  "greater_than",
  "less_than",
  "between",
  "is_empty",
] as const;

const scalar = z.union([z.string().max(2000), z.number(), z.boolean()]);

export const FilterRow = z.strictObject({
  field: z
    .string()
    .min(1)
    .max(200)
    .meta({ title: "Field", description: "A metric or a dimension; it need not be a column of the report." }),
  operator: z.enum(operators).meta({
    title: "Operator",
    description:
      '`matches` takes a regular expression that may match anywhere in the value; `in` a list; `between` the two ends, both included; `is_empty` nothing, and holds for "(not set)" too.',
  }),
  value: z
    .union([scalar, z.array(scalar).max(1000)])
    .optional()
    .meta({ title: "Value", description: "Text, a number, or a list of them, as the operator asks." }),
  case_sensitive: z
    .boolean()
    .optional()
    .meta({ title: "Case-sensitive", description: "For text. By default upper and lower case are the same." }),
});

export type FilterRow = z.output<typeof FilterRow>;

const textTests = {
  equals: "EXACT",
  not_equals: "EXACT",
  contains: "CONTAINS",
  begins_with: "BEGINS_WITH",
  ends_with: "ENDS_WITH",
  matches: "PARTIAL_REGEXP",
} as const;
const textOnly = ["contains", "begins_with", "ends_with", "matches", "is_empty"];

/** The requested metrics and dimensions are known; any other field is recognized by its name. */
export const isMetricField = (field: string, metrics: readonly string[], dimensions: readonly string[]): boolean =>
  metrics.includes(field) || (!dimensions.includes(field) && isMetricName(field));

/** What is wrong with one row, as a sentence; null if it can be sent. */
export function refuseFilter({ operator, value, field }: FilterRow, isMetric: boolean): string | null {
  if (isMetric && textOnly.includes(operator))
    return `${field} is a metric, a number: use equals, not_equals, in, greater_than, less_than or between.`;
  const values = Array.isArray(value) ? value : [value];
  if (operator === "is_empty") return value === undefined ? null : "`is_empty` takes no value.";
  if (operator === "in") {
    if (!Array.isArray(value) || value.length === 0) return "`in` takes a list with at least one value.";
  } else if (operator === "between") {
    if (!Array.isArray(value) || value.length !== 2) return "`between` takes a list of two numbers.";
  } else if (value === undefined || Array.isArray(value)) return `\`${operator}\` takes one value.`;
  const isNumeric = isMetric || ["greater_than", "less_than", "between"].includes(operator);
  if (isNumeric && values.some((each) => numberOf(each) === null)) return `\`${operator}\` on ${field} takes numbers.`;
  return null;
}

/** One row as the system's own filter. */
export function toExpression(row: FilterRow, isMetric: boolean): FilterExpression {
  const { field: fieldName, operator, value, case_sensitive: isExact } = row;
  const values = Array.isArray(value) ? value : [value];
  const [first] = values;
  const caseSensitive = isExact ? { caseSensitive: true } : {};
  const numeric = (operation: string, number: unknown) => ({
    filter: { fieldName, numericFilter: { operation, value: numericValue(number) } },
  });
  switch (operator) {
    case "is_empty":
      return { filter: { fieldName, emptyFilter: {} } };
    case "greater_than":
      return numeric("GREATER_THAN", first);
    case "less_than":
      return numeric("LESS_THAN", first);
    case "between": {
      const [from, to] = values;
      return { filter: { fieldName, betweenFilter: { fromValue: numericValue(from), toValue: numericValue(to) } } };
    }
    case "in":
      if (isMetric) return anyOf(values.map((each) => numeric("EQUAL", each)));
      return { filter: { fieldName, inListFilter: { values: values.map(String), ...caseSensitive } } };
    default: {
      const matchType = textTests[operator];
      const text = { filter: { fieldName, stringFilter: { matchType, value: String(first), ...caseSensitive } } };
      const expression = isMetric ? numeric("EQUAL", first) : text;
      return operator === "not_equals" ? { notExpression: expression } : expression;
    }
  }
}

const anyOf = (expressions: FilterExpression[]): FilterExpression =>
  expressions.length > 1 ? { orGroup: { expressions } } : (expressions[0] ?? {});

/** Whole numbers are sent as text, as the system writes them itself. */
function numericValue(value: unknown): Record<string, unknown> {
  const number = numberOf(value) ?? 0;
  return Number.isSafeInteger(number) ? { int64Value: String(number) } : { doubleValue: number };
}

interface Filtered {
  metrics: readonly string[];
  dimensions?: readonly string[] | undefined;
  filters?: readonly FilterRow[] | undefined;
  dimension_filter?: FilterExpression | undefined;
  metric_filter?: FilterExpression | undefined;
}

/** Both filters of a report: the rows of the list, each on its side, combined with the full expressions. */
export function filtersOf({ metrics, dimensions = [], filters = [], dimension_filter, metric_filter }: Filtered) {
  const sorted = filters.map((row) => ({ row, isMetric: isMetricField(row.field, metrics, dimensions) }));
  const half = (wantsMetric: boolean, full: FilterExpression | undefined) =>
    all([
      ...(full ? [full] : []),
      ...sorted.filter(({ isMetric }) => isMetric === wantsMetric).map(({ row }) => toExpression(row, wantsMetric)),
    ]);
  const dimensionFilter = half(false, dimension_filter);
  const metricFilter = half(true, metric_filter);
  return { ...(dimensionFilter ? { dimensionFilter } : {}), ...(metricFilter ? { metricFilter } : {}) };
}
