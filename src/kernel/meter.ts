/**
 * What one process counts about its work, for `/metrics`. Counting is an addition to a plain number; the numbers are
 * read only when somebody asks. Label values are words of our own: never an id, and never a word that a tenant chose.
 */

/** The counters of one region. */
export interface RegionMeter {
  /** A step ended: `result` is `succeeded` or the code of its problem. */
  step(system: string, result: string, seconds: number): void;
  /** A call to a system had to wait for one of the system's limits. */
  limitWait(system: string, seconds: number): void;
  token(system: string, result: "refreshed" | "failed"): void;
  /** A connection lost its grant: a person must reconnect it. */
  connectionLost(system: string): void;
  runEnded(kind: "tool" | "agent" | "step", status: string): void;
  /** An attempt to deliver an event to a webhook. */
  delivery(result: "delivered" | "retried" | "given_up"): void;
  /** An event arrived at an agent's address. */
  event(result: "accepted" | "refused"): void;
  mail(result: "sent" | "retried" | "given_up" | "kept_in_file"): void;
  /** A list that may be read from a replica: it was, or the replica was behind or away. */
  replicaRead(result: "replica" | "behind" | "away"): void;
  /** The time that the store took. */
  store(work: "read" | "transaction", seconds: number): void;
}

export interface Counter {
  type: "counter";
  name: `signalbox_${string}_total`;
  help: string;
  labelNames: readonly string[];
  series: Map<string, CounterSeries>;
}

export interface CounterSeries {
  labels: Record<string, string>;
  value: number;
}

export interface Histogram {
  type: "histogram";
  name: `signalbox_${string}_seconds`;
  help: string;
  labelNames: readonly string[];
  bounds: readonly number[];
  series: Map<string, HistogramSeries>;
}

export interface HistogramSeries {
  labels: Record<string, string>;
  /** Observations per bucket, not cumulative; the last one counts those above all bounds. */
  between: number[];
  sum: number;
}

export interface Meters {
  ofRegion(region: string): RegionMeter;
  families: readonly (Counter | Histogram)[];
}

const callBounds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const waitBounds = [0.1, 0.5, 1, 2.5, 5, 10, 20, 60, 300];
const storeBounds = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5];

export function createMeters(): Meters {
  const steps = counter("signalbox_steps_total", "Steps that ended, by system and result", ["system", "result"]);
  const stepSeconds = histogram(
    "signalbox_step_seconds",
    "Time from a step's start to its end",
    ["system"],
    callBounds,
  );
  const limitWaits = histogram(
    "signalbox_limit_wait_seconds",
    "Time that calls waited for a limit of an external system; calls that did not wait are not counted",
    ["system"],
    waitBounds,
  );
  const tokens = counter("signalbox_token_refreshes_total", "Tokens that were renewed, or could not be", [
    "system",
    "result",
  ]);
  const lost = counter("signalbox_connections_lost_total", "Connections that a person must reconnect", ["system"]);
  const runs = counter("signalbox_runs_ended_total", "Runs that ended in this process", ["kind", "status"]);
  const deliveries = counter("signalbox_webhook_deliveries_total", "Attempts to deliver an event to a webhook", [
    "result",
  ]);
  const events = counter("signalbox_webhook_events_total", "Events that arrived at the addresses of agents", [
    "result",
  ]);
  const mails = counter("signalbox_mails_total", "Mails, by what became of them", ["result"]);
  const replicaReads = counter(
    "signalbox_replica_reads_total",
    "Lists that may be read from a replica: read there, or from the primary because it was behind or away",
    ["result"],
  );
  const store = histogram(
    "signalbox_store_seconds",
    "Time that the store took, for reads and for transactions until they were durable",
    ["work"],
    storeBounds,
  );
  return {
    families: [steps, stepSeconds, limitWaits, tokens, lost, runs, deliveries, events, mails, replicaReads, store],
    ofRegion(region) {
      const reads = seriesOf(store, [region, "read"]);
      const transactions = seriesOf(store, [region, "transaction"]);
      return {
        step(system, result, seconds) {
          add(steps, [region, system, result]);
          observe(stepSeconds, seriesOf(stepSeconds, [region, system]), seconds);
        },
        limitWait: (system, seconds) => observe(limitWaits, seriesOf(limitWaits, [region, system]), seconds),
        token: (system, result) => add(tokens, [region, system, result]),
        connectionLost: (system) => add(lost, [region, system]),
        runEnded: (kind, status) => add(runs, [region, kind, status]),
        delivery: (result) => add(deliveries, [region, result]),
        event: (result) => add(events, [region, result]),
        mail: (result) => add(mails, [region, result]),
        replicaRead: (result) => add(replicaReads, [region, result]),
        store: (work, seconds) => observe(store, work === "read" ? reads : transactions, seconds),
      };
    },
  };
}

const counter = (name: Counter["name"], help: string, labelNames: string[]): Counter => ({
  type: "counter",
  name,
  help,
  labelNames: ["region", ...labelNames],
  series: new Map(),
});

const histogram = (
  name: Histogram["name"],
  help: string,
  labelNames: string[],
  bounds: readonly number[],
): Histogram => ({ type: "histogram", name, help, labelNames: ["region", ...labelNames], bounds, series: new Map() });

function add({ series, labelNames }: Counter, values: readonly string[]): void {
  const key = values.join();
  const found = series.get(key);
  if (found) found.value++;
  else series.set(key, { labels: labelsOf(labelNames, values), value: 1 });
}

function seriesOf({ series, labelNames, bounds }: Histogram, values: readonly string[]): HistogramSeries {
  const key = values.join();
  const found = series.get(key);
  if (found) return found;
  const made = { labels: labelsOf(labelNames, values), between: new Array(bounds.length + 1).fill(0), sum: 0 };
  series.set(key, made);
  return made;
}

function observe({ bounds }: Histogram, series: HistogramSeries, seconds: number): void {
  let bucket = 0;
  while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket++;
  series.between[bucket] = (series.between[bucket] as number) + 1;
  series.sum += seconds;
}

const labelsOf = (names: readonly string[], values: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
