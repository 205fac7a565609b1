import { expect, test } from "vitest";
import { createMetrics } from "../../http/metrics.ts";
import { createLog } from "../../kernel/log.ts";
import { currentSpan, isTracing, keepTrace, startChild, startSpan, withinSpan } from "../../kernel/tracing.ts";
import { readConfig } from "../settings/config.ts";
import { startTelemetry } from "./telemetry.ts";

const lines: string[] = [];
const log = createLog("info", { write: (line) => void lines.push(line) });

test("without a collector nothing is traced, and work just runs", async () => {
  const { telemetry } = readConfig({});
  expect(await startTelemetry(telemetry, async () => [], log)).toBeNull();
  expect(isTracing()).toBe(false);
  expect(startSpan("a call", "server", null)).toBeNull();
  expect(withinSpan(null, () => startChild("a step", "internal"))).toBeNull();
  const work = () => 1;
  expect(keepTrace(work)).toBe(work);
});

test("a collector that is away harms nothing: work goes on, the log says so once, and the process can stop", async () => {
  const { telemetry } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" });
  const running = await startTelemetry(telemetry, createMetrics().values, log);
  const malformed = { traceparent: "00-00000000000000000000000000000000-b7ad6b7169203331-01" };
  const call = startSpan("a call", "server", malformed);
  const traces = withinSpan(call, () => {
    const later = keepTrace(() => currentSpan()?.traceId);
    startChild("a step", "internal")?.end("timed_out");
    return [currentSpan()?.traceId, withinSpan(startSpan("another", "server", null), later)];
  });
  expect(traces).toEqual([call?.traceId, call?.traceId]);
  expect(call?.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
  call?.end();
  await running?.stop();
  expect(isTracing()).toBe(false);
  expect(lines.filter((line) => line.includes("could not be sent to the collector"))).toHaveLength(1);
});

test.each([
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "a secret without a name"],
  ["OTEL_TRACES_SAMPLER_ARG", "1.5"],
])("a wrong %s stops the start with a sentence that names it", (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(name);
});
