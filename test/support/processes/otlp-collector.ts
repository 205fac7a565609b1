import { serve } from "./local-servers.ts";

/** A span as it arrives, with its attributes as one object. */
export interface ReceivedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind: number;
  status: { code?: number };
  attributes: Record<string, string | number>;
}

export interface Collector {
  origin: string;
  spans: ReceivedSpan[];
  /** Names of the metrics received so far. */
  metrics: Set<string>;
  /** Everything received, as text. */
  texts: string[];
}

/** An OpenTelemetry collector that takes OTLP over HTTP, as JSON, and remembers everything. */
export async function startCollector(): Promise<Collector> {
  const collector: Omit<Collector, "origin"> = { spans: [], metrics: new Set(), texts: [] };
  const origin = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    collector.texts.push(text);
    const body = JSON.parse(text);
    for (const { scopeSpans } of body.resourceSpans ?? []) {
      for (const { spans } of scopeSpans) collector.spans.push(...spans.map(toSpan));
    }
    for (const { scopeMetrics } of body.resourceMetrics ?? []) {
      for (const { metrics } of scopeMetrics) for (const { name } of metrics) collector.metrics.add(name);
    }
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  return { origin, ...collector };
}

interface WireSpan extends Omit<ReceivedSpan, "attributes"> {
  attributes: { key: string; value: Record<string, string | number> }[];
}

const toSpan = (span: WireSpan): ReceivedSpan => ({
  ...span,
  attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0] ?? ""])),
});
