import { setting } from "./define-setting.ts";
import { oneOf, readBaseUrl, readOtlpHeaders, readShare, readWord, wholeNumber } from "./read-setting-values.ts";

/** Where traces and metrics go. `settings.ts` lists them with all others. */
export const telemetrySettings = {
  otlpEndpoint: setting({
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    defaultText: null,
    means:
      "The OpenTelemetry collector that gets traces and metrics, by OTLP over HTTP: `http://127.0.0.1:4318`. If it is not set, nothing is traced and nothing is sent. See docs/production.md.",
    read: readBaseUrl,
  }),
  otlpHeaders: setting({
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    defaultText: null,
    means: "Headers for the collector, such as its API key: `name=value,name=value`.",
    read: readOtlpHeaders,
  }),
  otlpTraces: setting({
    name: "OTEL_TRACES_EXPORTER",
    defaultText: "otlp",
    means: "`none`: sends no traces to the collector.",
    read: oneOf("otlp", "none"),
  }),
  otlpMetrics: setting({
    name: "OTEL_METRICS_EXPORTER",
    defaultText: "otlp",
    means: "`none`: sends no metrics to the collector. `/metrics` has them in any case.",
    read: oneOf("otlp", "none"),
  }),
  otlpMetricsMilliseconds: setting({
    name: "OTEL_METRIC_EXPORT_INTERVAL",
    defaultText: "60000",
    means: "How often metrics are sent to the collector, in milliseconds.",
    read: wholeNumber(100, 3_600_000),
  }),
  serviceName: setting({
    name: "OTEL_SERVICE_NAME",
    defaultText: "signalbox",
    means: "The name of this service in traces and metrics.",
    read: readWord,
  }),
  traceShare: setting({
    name: "OTEL_TRACES_SAMPLER_ARG",
    defaultText: "1",
    means:
      "The share of new traces that are recorded, from 0 to 1. A call with a `traceparent` header follows the decision of its caller.",
    read: readShare,
  }),
};
