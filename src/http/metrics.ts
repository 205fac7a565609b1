import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from "prom-client";
import type { LoopPause } from "../kernel/loop-watch.ts";
import {
  createMeters,
  type HistogramSeries,
  type Counter as PlainCounter,
  type Histogram as PlainHistogram,
  type RegionMeter,
} from "../kernel/meter.ts";
import { pauseName } from "./pause-metric.ts";

/** Counts the requests to one operation. */
export interface RequestMeter {
  observe(status: number, seconds: number): void;
}

export interface Metrics {
  meterFor(region: string, operation: string): RequestMeter;
  /** Names no tenant: readers of the metrics need not know the tenants; the log has them. */
  pause(pause: LoopPause): void;
  /** Counts an error that no code caught. */
  countUncaught(kind: string): void;
  /** A gauge that is read when the page is requested. */
  show(name: `signalbox_${string}`, help: string, read: () => number): void;
  /** The same with labels. A region whose numbers cannot be read is left out. */
  showEach(name: `signalbox_${string}`, help: string, labelNames: readonly string[], read: ReadSeries): void;
  /** Counts the work of a region. */
  meterOf(region: string): RegionMeter;
  text(): Promise<{ contentType: string; text: string }>;
  /** The same numbers, for an exporter. */
  values(): Promise<MetricValues[]>;
}

export type ReadSeries = () => Promise<{ labels: Record<string, string>; value: number }[]>;

/** One metric with its current values. */
export interface MetricValues {
  name: string;
  help: string;
  type: "counter" | "gauge" | "histogram";
  values: { labels: Record<string, string | number>; value: number; metricName?: string }[];
}

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const secondsName = "signalbox_request_seconds";
const secondsHelp = "Time from the request to its response, by operation";

/** With very many operations the page takes tens of milliseconds to write, so frequent readers get a cached one. */
const longCharacters = 200_000;
const longMilliseconds = 500;

/** Plain numbers, incremented on every request. The library reads them only when the page is requested. */
interface Tally {
  region: string;
  operation: string;
  /** Observations per bucket, not cumulative; the last one counts those above all bounds. */
  between: number[];
  seconds: number;
  statuses: Map<number, number>;
}

let ofProcess: Registry | null = null;

/** Its memory, garbage collection and lag. The library watches them until the process ends, so they are watched once. */
function processMetrics(): Registry {
  if (ofProcess) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  return ofProcess;
}

/** Of the library's metrics of a process, those that nobody looks at; they would be two thirds of the page. */
const notShown = new Set([
  "nodejs_active_handles",
  "nodejs_active_handles_total",
  "nodejs_active_requests",
  "nodejs_active_requests_total",
  "nodejs_active_resources",
  "nodejs_active_resources_total",
  "nodejs_eventloop_lag_mean_seconds",
  "nodejs_eventloop_lag_min_seconds",
  "nodejs_eventloop_lag_stddev_seconds",
  "nodejs_heap_space_size_available_bytes",
  "nodejs_heap_space_size_total_bytes",
  "nodejs_heap_space_size_used_bytes",
  "process_cpu_system_seconds_total",
  "process_heap_bytes",
  "process_virtual_memory_bytes",
]);

export function createMetrics(nowMs: () => number = () => performance.now()): Metrics {
  const registry = new Registry();
  for (const metric of processMetrics().getMetricsAsArray()) {
    if (!notShown.has(metric.name)) registry.registerMetric(metric as unknown as Metric);
  }
  const meters = createMeters();
  for (const family of meters.families) {
    const get = async () => (family.type === "counter" ? counterValues(family) : histogramValues(family));
    registry.registerMetric({ name: family.name, get } as unknown as Metric);
  }
  const tallies: Tally[] = [];
  new Counter({
    name: "signalbox_requests_total",
    help: "Requests by operation and status",
    labelNames: ["region", "operation", "status"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { region, operation, statuses } of tallies) {
        for (const [status, count] of statuses) this.inc({ region, operation, status }, count);
      }
    },
  });
  // The library's own histogram hashes its labels on every observation, which costs as much as the rest of a request's
  // bookkeeping.
  const seconds = { name: secondsName, get: async () => histogramOf(tallies) };
  registry.registerMetric(seconds as unknown as Metric);
  const pauses = new Histogram({
    name: pauseName,
    help: "Times for which the event loop stood still, above a quarter of a second, by what was worked on",
    labelNames: ["operation", "step"],
    buckets: [0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [registry],
  });
  const worst = new Gauge({
    name: `${pauseName}_worst`,
    help: "The longest of them since the start",
    labelNames: ["operation", "step"],
    registers: [registry],
  });
  const worstTime = new Gauge({
    name: `${pauseName}_worst_at`,
    help: "When that was, in seconds since 1970",
    registers: [registry],
  });
  let worstSeconds = 0;
  const uncaught = new Counter({
    name: "signalbox_unforeseen_total",
    help: "Errors that nobody caught; the log has their causes",
    labelNames: ["kind"],
    registers: [registry],
  });
  let kept = { text: "", until: 0 };
  async function written(): Promise<string> {
    if (nowMs() < kept.until) return kept.text;
    const parts = await Promise.all(registry.getMetricsAsArray().map((metric) => textOf(registry, metric)));
    const text = parts.join("");
    kept = { text, until: text.length > longCharacters ? nowMs() + longMilliseconds : 0 };
    return text;
  }
  return {
    pause({ seconds, doing, work: { operation = doing, stepId: step = "" }, at }) {
      pauses.observe({ operation, step }, seconds);
      if (seconds <= worstSeconds) return;
      worstSeconds = seconds;
      worst.reset();
      worst.set({ operation, step }, seconds);
      worstTime.set(at.getTime() / 1000);
    },
    countUncaught: (kind) => uncaught.inc({ kind }),
    show(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read());
        },
      });
    },
    showEach(name, help, labelNames, read) {
      new Gauge({
        name,
        help,
        labelNames: [...labelNames],
        registers: [registry],
        async collect() {
          this.reset();
          for (const { labels, value } of await read()) this.set(labels, value);
        },
      });
    },
    meterOf: meters.ofRegion,
    meterFor(region, operation) {
      const tally: Tally = {
        region,
        operation,
        between: new Array(bounds.length + 1).fill(0),
        seconds: 0,
        statuses: new Map(),
      };
      tallies.push(tally);
      return { observe: (status, elapsed) => count(tally, status, elapsed) };
    },
    text: async () => ({ contentType: registry.contentType, text: await written() }),
    values: async () => (await registry.getMetricsAsJSON()) as unknown as MetricValues[],
  };
}

/** A metric without a series is left out: a reader cannot tell its heading from a mistake. */
async function textOf(registry: Registry, metric: { name: string }): Promise<string> {
  const text = await registry.getSingleMetricAsString(metric.name);
  return /^[^#\n]/m.test(text) ? `${text.trimEnd()}\n` : "";
}

const counterValues = ({ name, help, series }: PlainCounter): MetricValues => ({
  name,
  help,
  type: "counter",
  values: [...series.values()],
});

const histogramValues = ({ name, help, bounds, series }: PlainHistogram): MetricValues => ({
  name,
  help,
  type: "histogram",
  values: [...series.values()].flatMap((each) => bucketsOf(name, bounds, each)),
});

/** Nothing for a series that was never observed. */
function bucketsOf(name: string, bounds: readonly number[], { labels, between, sum }: HistogramSeries) {
  let total = 0;
  const buckets = between.map((count, index) => {
    total += count;
    return { labels: { ...labels, le: bounds[index] ?? "+Inf" }, value: total, metricName: `${name}_bucket` };
  });
  if (total === 0) return [];
  return [
    ...buckets,
    { labels, value: sum, metricName: `${name}_sum` },
    { labels, value: total, metricName: `${name}_count` },
  ];
}

function count(tally: Tally, status: number, seconds: number): void {
  let bucket = bounds.findIndex((bound) => seconds <= bound);
  if (bucket < 0) bucket = bounds.length;
  tally.between[bucket] = (tally.between[bucket] ?? 0) + 1;
  tally.seconds += seconds;
  tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
}

const histogramOf = (tallies: Tally[]): MetricValues => ({
  name: secondsName,
  help: secondsHelp,
  type: "histogram",
  values: tallies.flatMap(({ region, operation, between, seconds: sum }) =>
    bucketsOf(secondsName, bounds, { labels: { region, operation }, between, sum }),
  ),
});
