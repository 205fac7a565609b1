import { invalid } from "../wire/api-error.ts";
import { type Catalogue, requireDimension, requireMetric } from "./catalogue.ts";
import type { Dimension } from "./dimension.ts";
import { evaluate, metricNames, parseExpression } from "./expression.ts";
import { filterFields } from "./filters.ts";
import type { AskedDimension } from "./grouping.ts";
import type { Metric, MetricContext, MetricType } from "./metric.ts";
import type { Primitive } from "./primitives.ts";
import type { DimensionWish, MetricWish, Question } from "./request.ts";

/** What a report asks for as one metric: a field or an expression, shown or only used. */
export interface AskedMetric {
  name: string;
  type: MetricType;
  isVisible: boolean;
  /** The catalogue's metrics behind it. */
  fields: Metric[];
  needs: Primitive[];
  value(counts: number[]): number;
}

export interface Asked {
  dimensions: AskedDimension[];
  /** Those of the request in order; then those that only filters use, which are counted and never shown. */
  metrics: AskedMetric[];
  /** Those of the request, the invisible ones among them: what is limited in number, priced and ordered by. */
  requestedMetrics: AskedMetric[];
  visibleMetrics: AskedMetric[];
  /** Looks up what a filter may name: a dimension of the request or of the catalogue. */
  findDimension(name: string): AskedDimension;
}

const freeName = /^[A-Za-z0-9_]+$/;

/** Checks names and duplicates, the first thing after the shape of the body. */
export function readAsked(question: Question, catalogue: Catalogue, context: MetricContext): Asked {
  const dimensions = (question.dimensions ?? []).map((wish) =>
    askDimension(wish, question.dimensions ?? [], catalogue),
  );
  refuseDuplicates(dimensions, (names) => `Found duplicate dimensions: ${names}`);
  const wished = (question.metrics ?? []).map((wish) => askMetric(wish, catalogue, context));
  refuseDuplicates(wished, (names) => `Duplicate metrics are not allowed. Found duplicate metrics: ${names}`);
  const extra = new Set(
    filterFields(question.metricFilter).filter((name) => !wished.some((metric) => metric.name === name)),
  );
  const findDimension = (name: string) =>
    dimensions.find((dimension) => dimension.name === name) ?? plain(name, requireDimension(catalogue, name));
  for (const name of filterFields(question.dimensionFilter)) findDimension(name);
  const hidden = [...extra].map((name) => askMetric({ name, invisible: true }, catalogue, context));
  return {
    dimensions,
    metrics: [...wished, ...hidden],
    requestedMetrics: wished,
    visibleMetrics: wished.filter((metric) => metric.isVisible),
    findDimension,
  };
}

const plain = (name: string, field: Dimension): AskedDimension => ({
  name,
  fields: [field],
  combine: ([value = ""]) => value,
});

function askDimension(wish: DimensionWish, all: DimensionWish[], catalogue: Catalogue): AskedDimension {
  const name = wish.name ?? "";
  const { lowerCase, upperCase, concatenate } = wish.dimensionExpression ?? {};
  // An expression may name another dimension of the request, which may be a plain field only.
  const field = (fieldName: string) =>
    requireDimension(
      catalogue,
      all.find((each) => each.name === fieldName && !each.dimensionExpression)?.name ?? fieldName,
    );
  if (!wish.dimensionExpression) return plain(name, requireDimension(catalogue, name));
  if (!freeName.test(name))
    throw invalid(`Dimension name ${name} is invalid. Names must match the regular expression ^[a-zA-Z0-9_]+$.`);
  if (lowerCase) {
    return { name, fields: [field(lowerCase.dimensionName ?? "")], combine: ([value = ""]) => value.toLowerCase() };
  }
  if (upperCase) {
    return { name, fields: [field(upperCase.dimensionName ?? "")], combine: ([value = ""]) => value.toUpperCase() };
  }
  const names = concatenate?.dimensionNames ?? [];
  if (names.length === 0) throw invalid(`The expression of dimension ${name} must name at least one dimension.`);
  return { name, fields: names.map(field), combine: (values) => values.join(concatenate?.delimiter ?? "") };
}

function askMetric(wish: MetricWish, catalogue: Catalogue, context: MetricContext): AskedMetric {
  const name = wish.name ?? "";
  const isVisible = wish.invisible !== true;
  if (wish.expression === undefined || wish.expression === "") {
    const field = requireMetric(catalogue, name);
    return { name, type: field.type, isVisible, fields: [field], needs: field.needs(context), value: field.value };
  }
  if (!freeName.test(name))
    throw invalid(`Metric name ${name} is invalid. Names must match the regular expression ^[a-zA-Z0-9_]+$.`);
  const expression = parseExpression(wish.expression);
  const parts = new Map<string, { field: Metric; at: number; size: number }>();
  const needs: Primitive[] = [];
  for (const used of metricNames(expression)) {
    const field = requireMetric(catalogue, used);
    const own = field.needs(context);
    parts.set(used, { field, at: needs.length, size: own.length });
    needs.push(...own);
  }
  const value = (counts: number[]) =>
    evaluate(expression, (used) => {
      const part = parts.get(used);
      return part ? part.field.value(counts.slice(part.at, part.at + part.size)) : 0;
    });
  return { name, type: "TYPE_FLOAT", isVisible, fields: [...parts.values()].map((part) => part.field), needs, value };
}

function refuseDuplicates(fields: { name: string }[], say: (names: string) => string): void {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { name } of fields) {
    if (seen.has(name)) twice.add(name);
    seen.add(name);
  }
  if (twice.size > 0) throw invalid(say([...twice].join(", ")));
}
