import { describe, expect, test } from "vitest";
import { emptyAnswer } from "../../drive.ts";
import { StepFailed } from "../../work.ts";
import { runReports } from "../steps/run-reports.ts";

const week = { date_range: { start_date: "2026-09-07", end_date: "2026-09-13" } };
const asked = { property_id: "1000", metrics: ["sessions"], ...week };

interface Output {
  rows: unknown[];
  next: string | null;
}

describe("a report that is too long for one answer", () => {
  const page = (rows: number, rowCount: number) => ({
    status: 200,
    headers: {},
    bytes: 1000,
    body: {
      dimensionHeaders: [{ name: "city" }],
      metricHeaders: [{ name: "sessions" }],
      rows: Array.from({ length: rows }, () => ({ dimensionValues: [{ value: "x" }], metricValues: [{ value: "1" }] })),
      rowCount,
    },
  });
  const context = { intentId: "int_1", now: new Date(), identity: { label: "x" } };
  const begin = (input: object) => {
    const parsed = runReports.input.parse({ ...asked, dimensions: ["city"], ...input });
    const work = runReports.work(parsed, context);
    return { work, first: work.next().value as { body: Record<string, unknown> } };
  };

  test("stops at 100,000 rows and continues there", () => {
    const { work } = begin({});
    let turn = work.next(page(10_000, 250_000));
    while (!turn.done) turn = work.next(page(10_000, 250_000));
    const { output, warnings } = turn.value as { output: Output; warnings: string[] };
    expect(output.rows).toHaveLength(100_000);
    expect(output).toMatchObject({ row_count: 250_000, next: expect.any(String) });
    expect(warnings.join()).toMatch(/Stopped at 100000 items/);
    expect(begin({ after: output.next }).first.body.offset).toBe(100_000);
    // The token is good for this question alone.
    expect(() => begin({ after: output.next, metrics: ["activeUsers"] })).toThrow(/earlier call/);
  });

  test("keeps what it has if the quota runs out on the way", () => {
    const { work } = begin({});
    work.next(page(10_000, 30_000));
    const failure = { code: "quota_exhausted", detail: "Used up.", cure: "wait", done: "no" } as const;
    let turn = work.throw(new StepFailed(failure, null));
    while (!turn.done) turn = work.next(emptyAnswer);
    const { output, warnings } = turn.value as unknown as { output: Output; warnings: string[] };
    expect(output).toMatchObject({ row_count: 30_000, next: expect.any(String) });
    expect(warnings.join()).toMatch(/Stopped early: Used up\./);
  });

  test("a requested limit is no cap", () => {
    const { work, first } = begin({ limit: 5 });
    expect(first.body.limit).toBe(5);
    expect(work.next(page(5, 20)).value).toMatchObject({ output: { next: null, row_count: 20 }, warnings: [] });
  });

  test("wide reports come in smaller pages, always in a complete order", () => {
    const wide = begin({ metrics: ["sessions", "activeUsers"], dimensions: ["city", "date", "browser"] }).first.body;
    expect(wide.limit).toBe(10_000);
    expect(wide.orderBys).toEqual([
      { metric: { metricName: "sessions" }, desc: true },
      { dimension: { dimensionName: "city" } },
      { dimension: { dimensionName: "date" } },
      { dimension: { dimensionName: "browser" } },
    ]);
    const widest = begin({
      metrics: Array.from({ length: 10 }, (_, at) => `m${at}`),
      dimensions: Array.from({ length: 9 }, (_, at) => `d${at}`),
    });
    expect(widest.first.body.limit).toBe(3000);
  });
});

test("the cost is known beforehand", () => {
  const year = { date_range: { start_date: "365daysAgo", end_date: "yesterday" } };
  const cost = (input: object) => runReports.cost?.(runReports.input.parse({ ...asked, ...input }));
  expect(cost({})).toMatchObject({ calls: 1, tokens: 1 });
  expect(cost(year)).toMatchObject({ calls: 1, tokens: 7 });
  expect(cost({ ...year, dimensions: ["city"], limit: 25_000 })).toMatchObject({ calls: 3, tokens: 21 });
});
