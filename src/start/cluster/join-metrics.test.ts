import { expect, test } from "vitest";
import { createMetrics } from "../../http/metrics.ts";
import { pauseName } from "../../http/pause-metric.ts";
import { countersOf, joinMetrics } from "./join-metrics.ts";

const page = (...families: [name: string, type: string, ...series: string[]][]): string =>
  families
    .map(([name, type, ...series]) => `# HELP ${name} What it counts\n# TYPE ${name} ${type}\n${series.join("\n")}\n`)
    .join("");

test("counters and histograms are added, series by series", () => {
  const one = page(
    ["calls_total", "counter", 'calls_total{operation="a b"} 3', 'calls_total{operation="c"} 1'],
    ["seconds", "histogram", 'seconds_bucket{le="1"} 1', 'seconds_bucket{le="+Inf"} 2', "seconds_sum 2.5"],
  );
  const other = page(
    ["calls_total", "counter", 'calls_total{operation="a b"} 4', 'calls_total{operation="d"} 9'],
    ["seconds", "histogram", 'seconds_bucket{le="1"} 0', 'seconds_bucket{le="+Inf"} 1', "seconds_sum 1.5"],
  );
  expect(joinMetrics([one, other])).toBe(
    page(
      [
        "calls_total",
        "counter",
        'calls_total{operation="a b"} 7',
        'calls_total{operation="c"} 1',
        'calls_total{operation="d"} 9',
      ],
      ["seconds", "histogram", 'seconds_bucket{le="1"} 1', 'seconds_bucket{le="+Inf"} 3', "seconds_sum 4"],
    ),
  );
});

test("a gauge is added, or the same number of one store, or the worst of them", () => {
  const of = (connections: number, up: number, runs: number) =>
    page(
      ["signalbox_connections", "gauge", `signalbox_connections ${connections}`],
      ["signalbox_store_up", "gauge", `signalbox_store_up{region="us"} ${up}`],
      ["signalbox_runs", "gauge", `signalbox_runs{region="us"} ${runs}`],
    );
  expect(joinMetrics([of(3, 1, 8), of(4, 0, 9)])).toBe(of(7, 0, 9));
});

test("the longest pause keeps its own time", () => {
  const of = (seconds: number, at: number) =>
    page(
      [`${pauseName}_worst`, "gauge", `${pauseName}_worst{operation="o${at}",step=""} ${seconds}`],
      [`${pauseName}_worst_at`, "gauge", `${pauseName}_worst_at ${at}`],
    );
  expect(joinMetrics([of(1, 500), of(3, 100), of(2, 900)])).toBe(of(3, 100));
});

test("of a process that has ended, what it counted is left", () => {
  const counter = ["calls_total", "counter", "calls_total 3"] as [string, string, string];
  expect(countersOf(page(["signalbox_connections", "gauge", "signalbox_connections 3"], counter))).toBe(page(counter));
  expect(countersOf("")).toBe("");
});

test("one page joined with nothing stays as it is", async () => {
  const metrics = createMetrics();
  metrics.meterFor("us", "projects/get").observe(200, 0.003);
  const { text } = await metrics.text();
  expect(joinMetrics([text, ""])).toBe(text);
});
