import { randomUUID } from "node:crypto";
import {
  createTraceState,
  DiagLogLevel,
  diag,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { contractVersion } from "../../http/contract-version.ts";
import type { MetricValues } from "../../http/metrics.ts";
import type { Log } from "../../kernel/log.ts";
import { type RemoteParent, type Span, setTracer, type Tracer } from "../../kernel/tracing.ts";
import type { TelemetrySettings } from "../settings/config.ts";
import { toMetricData } from "./metric-data.ts";

export interface Telemetry {
  /** Sends what is left, and stops. A collector that is away delays it by two seconds at most. */
  stop(): Promise<void>;
}

/** A collector that is away must not hold a request, nor the end of the process. */
const exportMilliseconds = 5_000;
const stopMilliseconds = 2_000;
const complainEveryMilliseconds = 60_000;

/** Sends traces and metrics by OTLP over HTTP. This file is loaded only where a collector is configured. */
export function startOtlp(
  settings: TelemetrySettings,
  readMetrics: () => Promise<MetricValues[]>,
  log: Log,
): Telemetry {
  const complain = complainInto(log);
  const resource = resourceFromAttributes({
    "service.name": settings.serviceName,
    "service.version": contractVersion,
    // Nodes and processes of one service count for themselves: without it, a collector would mix their counters.
    "service.instance.id": randomUUID(),
  });
  const stops = [
    ...(settings.traces ? [startTraces(settings, resource)] : []),
    ...(settings.metrics ? [startMetrics(settings, resource, readMetrics)] : []),
  ];
  log.info({ endpoint: settings.endpoint }, "traces and metrics are sent to an OpenTelemetry collector");
  return {
    async stop() {
      setTracer(null);
      const patience = new Promise<"late">((resolve) => setTimeout(resolve, stopMilliseconds, "late").unref());
      const ended = await Promise.race([Promise.allSettled(stops.map((stop) => stop())), patience]);
      if (ended === "late") complain("The collector did not respond before the process had to stop.");
      diag.disable();
    },
  };
}

const exporterOptions = (settings: TelemetrySettings, signal: "traces" | "metrics") => ({
  url: `${settings.endpoint}/v1/${signal}`,
  headers: headersOf(settings),
  timeoutMillis: exportMilliseconds,
});

const headersOf = ({ headers }: TelemetrySettings): Record<string, string> =>
  Object.fromEntries(
    (headers?.reveal() ?? "")
      .split(",")
      .map((pair) => pair.trim())
      .filter((pair) => pair !== "")
      .map((pair) => [pair.slice(0, pair.indexOf("=")), decodeURIComponent(pair.slice(pair.indexOf("=") + 1))]),
  );

function startTraces(settings: TelemetrySettings, resource: Resource): () => Promise<void> {
  const exporter = new OTLPTraceExporter(exporterOptions(settings, "traces"));
  const provider = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.traceShare) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: exportMilliseconds })],
  });
  setTracer(tracerOver(provider.getTracer("signalbox", contractVersion)));
  return () => provider.shutdown();
}

function startMetrics(
  settings: TelemetrySettings,
  resource: Resource,
  readMetrics: () => Promise<MetricValues[]>,
): () => Promise<void> {
  const scope = { name: "signalbox", version: contractVersion };
  const startedAt = Date.now();
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(exporterOptions(settings, "metrics")),
    exportIntervalMillis: settings.metricsMilliseconds,
    exportTimeoutMillis: Math.min(exportMilliseconds, settings.metricsMilliseconds),
    // The counters exist already, as plain numbers: they are read when they are sent, and cost nothing before.
    metricProducers: [
      {
        async collect() {
          const metrics = toMetricData(await readMetrics(), startedAt, Date.now());
          return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
        },
      },
    ],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return () => provider.shutdown();
}

const kinds: Record<Parameters<Tracer["start"]>[1], SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

const tracerOver = (tracer: OtelTracer): Tracer => ({
  start(name, kind, parent) {
    const context = parent === null ? null : contextOf(parent);
    const within = context ? trace.setSpanContext(ROOT_CONTEXT, context) : ROOT_CONTEXT;
    return spanOver(tracer.startSpan(name, { kind: kinds[kind] }, within));
  },
});

function contextOf(parent: Span | RemoteParent): SpanContext | null {
  const found = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/.exec(parent.traceparent ?? "");
  const [, traceId = "", spanId = "", flags = ""] = found ?? [];
  if (!found || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return parent.tracestate ? { ...context, traceState: createTraceState(parent.tracestate) } : context;
}

function spanOver(span: OtelSpan): Span {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  return {
    traceId,
    traceparent: `00-${traceId}-${spanId}-${traceFlags & 1 ? "01" : "00"}`,
    tracestate: traceState?.serialize() || undefined,
    set(attributes) {
      for (const [name, value] of Object.entries(attributes)) if (value !== undefined) span.setAttribute(name, value);
    },
    end(problem) {
      if (problem !== undefined) {
        span.setAttribute("error.type", problem);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

/** The library may wrap an error, with its stack, into JSON. */
const reasonIn = (message: string): string =>
  (/"message":"((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? message).slice(0, 300);

/** The library's complaints, such as a collector that is away: one line a minute. */
function complainInto(log: Log): (message: string) => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  const complain = (message: string): void => {
    if (performance.now() - lastAt < complainEveryMilliseconds) return;
    lastAt = performance.now();
    log.warn({ detail: reasonIn(message) }, "traces or metrics could not be sent to the collector");
  };
  const nothing = () => {};
  diag.setLogger(
    { error: complain, warn: complain, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  return complain;
}
