import { printDouble } from "../wire/numbers.ts";
import type { AskedMetric } from "./asked.ts";
import type { ValueRow } from "./request.ts";

/** Rows as the wire wants them: every value a string, invisible metrics left out. */
export function createPrinter(metrics: AskedMetric[]) {
  const visible = metrics.flatMap((metric, at) =>
    metric.isVisible ? [{ at, isWhole: metric.type === "TYPE_INTEGER" }] : [],
  );
  return ({ labels, values }: ValueRow) => ({
    ...(labels.length > 0 ? { dimensionValues: labels.map(printLabel) } : {}),
    ...(visible.length > 0
      ? {
          metricValues: visible.map(({ at, isWhole }) => {
            const value = values[at] ?? 0;
            return { value: isWhole ? String(Math.round(value)) : printDouble(value) };
          }),
        }
      : {}),
  });
}

// An empty string is the default, and defaults are left out.
const printLabel = (value: string) => (value === "" ? {} : { value });

export const listed = (name: string, list: unknown[]): object => (list.length > 0 ? { [name]: list } : {});

export const dimensionHeaders = (names: string[]): object =>
  listed(
    "dimensionHeaders",
    names.map((name) => ({ name })),
  );

export const metricHeaders = (metrics: AskedMetric[]): object =>
  listed(
    "metricHeaders",
    metrics.flatMap(({ name, type, isVisible }) => (isVisible ? [{ name, type }] : [])),
  );
