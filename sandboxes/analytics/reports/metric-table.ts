import type { Metric, MetricContext, MetricType } from "./metric.ts";
import type { Primitive } from "./primitives.ts";

/** One metric in a line: its names, its type, what it means, what it counts and how the value is made of that. */
export type MetricRow = [
  apiName: string,
  uiName: string,
  type: "INTEGER" | "FLOAT" | "SECONDS" | "CURRENCY" | "MILLISECONDS" | "STANDARD",
  description: string,
  needs: Primitive[] | ((context: MetricContext) => Primitive[]),
  value: (counts: number[]) => number,
  own?: Partial<Metric>,
];

export const metricFields = (category: string, rows: MetricRow[], shared: Partial<Metric> = {}): Metric[] =>
  rows.map(([apiName, uiName, type, description, needs, value, own]) => ({
    apiName,
    uiName,
    category,
    description,
    type: `TYPE_${type}` as MetricType,
    needs: typeof needs === "function" ? needs : () => needs,
    value,
    ...shared,
    ...own,
  }));
