import { type HrTime, ValueType } from "@opentelemetry/api";
import {
  AggregationTemporality,
  DataPointType,
  type HistogramMetricData,
  type MetricData,
} from "@opentelemetry/sdk-metrics";
import type { MetricValues } from "../../http/metrics.ts";

type Point = MetricValues["values"][number];

/** The numbers of `/metrics` in the form of OpenTelemetry. Metrics without a series are left out. */
export function toMetricData(metrics: readonly MetricValues[], startedAt: number, now: number): MetricData[] {
  const times = { startTime: timeOf(startedAt), endTime: timeOf(now) };
  return metrics
    .filter(({ values }) => values.length > 0)
    .map((metric) => {
      const descriptor = {
        name: metric.name,
        description: metric.help,
        unit: /_seconds(_total)?$/.test(metric.name) ? "s" : /_bytes$/.test(metric.name) ? "By" : "1",
        valueType: ValueType.DOUBLE,
      };
      const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
      if (metric.type === "histogram") {
        return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramPoints(metric, times) };
      }
      const dataPoints = metric.values.map(({ labels, value }) => ({ ...times, attributes: labels, value }));
      return metric.type === "counter"
        ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
        : { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
    });
}

/** Buckets of the page are cumulative, and here they are not. */
function histogramPoints(
  { name, values }: MetricValues,
  times: { startTime: HrTime; endTime: HrTime },
): HistogramMetricData["dataPoints"] {
  const bySeries = Map.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  return [...bySeries.values()].map((points) => {
    const one = (suffix: string): Point | undefined =>
      points.find(({ metricName }) => metricName === `${name}_${suffix}`);
    const buckets = points.filter(({ metricName }) => metricName === `${name}_bucket`);
    const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0));
    const boundaries = buckets.map(({ labels }) => Number(labels.le)).filter(Number.isFinite);
    return {
      ...times,
      attributes: one("count")?.labels ?? {},
      value: { buckets: { boundaries, counts }, sum: one("sum")?.value ?? 0, count: one("count")?.value ?? 0 },
    };
  });
}

const timeOf = (milliseconds: number): HrTime => [
  Math.floor(milliseconds / 1000),
  Math.round((milliseconds % 1000) * 1e6),
];
