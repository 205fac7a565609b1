import type { MetricValues } from "../../http/metrics.ts";
import type { Log } from "../../kernel/log.ts";
import type { TelemetrySettings } from "../settings/config.ts";
import type { Telemetry } from "./otlp.ts";

/** Starts sending traces and metrics, if a collector is configured. Otherwise nothing is even loaded. */
export async function startTelemetry(
  settings: TelemetrySettings | null,
  readMetrics: () => Promise<MetricValues[]>,
  log: Log,
): Promise<Telemetry | null> {
  if (settings === null) return null;
  const { startOtlp } = await import("./otlp.ts");
  return startOtlp(settings, readMetrics, log);
}
