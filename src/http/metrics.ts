import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";

/** What a request has cost, counted without looking anything up by name on the way. */
export interface RequestMeter {
  observe(status: number, seconds: number): void;
}

export interface Metrics {
  meterFor(region: string, operation: string): RequestMeter;
  committed(region: string, transactions: number): void;
  text(): Promise<{ contentType: string; text: string }>;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const seconds = new Histogram({
    name: "signalbox_request_seconds",
    help: "Time from the request to its answer, by operation",
    labelNames: ["region", "operation"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  const requests = new Counter({
    name: "signalbox_requests_total",
    help: "Requests answered, by operation and status",
    labelNames: ["region", "operation", "status"],
    registers: [registry],
  });
  const transactions = new Counter({
    name: "signalbox_transactions_total",
    help: "Transactions made durable",
    labelNames: ["region"],
    registers: [registry],
  });
  return {
    meterFor(region, operation) {
      const duration = seconds.labels(region, operation);
      const byStatus = new Map<number, Counter.Internal>();
      return {
        observe(status, elapsed) {
          duration.observe(elapsed);
          let counter = byStatus.get(status);
          if (!counter) {
            counter = requests.labels(region, operation, String(status));
            byStatus.set(status, counter);
          }
          counter.inc();
        },
      };
    },
    committed: (region, count) => transactions.labels(region).inc(count),
    text: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
