import { describe, expect, test } from "vitest";
import { runReports } from "../steps/run-reports.ts";

const week = { date_range: { start_date: "2026-09-07", end_date: "2026-09-13" } };
const asked = { property_id: "1000", metrics: ["sessions"], ...week };
const refusals = (input: Record<string, unknown>) =>
  runReports.input
    .safeParse({ ...asked, ...input })
    .error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

describe("what is refused before anything is sent", () => {
  const range = (start_date: string, end_date: string) => ({ date_range: { start_date, end_date } });

  test.each<[string, Record<string, unknown>, RegExp]>([
    [
      "an id of the previous generation",
      { property_id: "UA-12345-1" },
      /property_id: .*previous generation.*inaccessible/,
    ],
    ["a measurement id", { property_id: "G-ABC123" }, /property_id: .*measurement id.*Property details/],
    ["no number", { property_id: "my shop" }, /property_id: .*write its number/],
    ["a path in the id", { property_id: "1000/../2000" }, /property_id: /],
    ["no metric", { metrics: [] }, /metrics: /],
    ["eleven metrics", { metrics: Array.from({ length: 11 }, (_, at) => `m${at}`) }, /metrics: /],
    ["a metric twice", { metrics: ["sessions", "sessions"] }, /metrics: .*once/],
    ["one name for both", { dimensions: ["sessions"] }, /dimensions.0: .*metric of this report already/],
    ["no period", { date_range: undefined }, /date_range: .*which days/],
    ["both kinds of period", { date_ranges: [week.date_range] }, /date_ranges: .*not both/],
    ["a date that does not exist", range("2026-02-30", "today"), /date_range.start_date: /],
    ["a date in other words", range("last week", "today"), /date_range.start_date: .*NdaysAgo/],
    ["back to front", range("2026-09-13", "2026-09-07"), /date_range: .*after the last/],
    ["back to front, moving", range("yesterday", "7daysAgo"), /date_range: .*after the last/],
    ["an order by no column", { order_by: [{ field: "country" }] }, /order_by.0.field: .*no column/],
    [
      "a text test on a metric",
      { filters: [{ field: "sessions", operator: "contains", value: "1" }] },
      /filters.0.value: .*metric/,
    ],
    [
      "half a filter expression",
      { dimension_filter: { filter: { fieldName: "country" } } },
      /dimension_filter.filter: .*exactly one/,
    ],
    ["a currency that is none", { currency_code: "EURO" }, /currency_code: /],
    ["a member that does not exist", { filter: [] }, /filter/],
    ["dates of a realtime report", { realtime: true }, /date_range: .*30 minutes/],
    ["a token of another question", { after: "bm8" }, /after: /],
    ["more rows than a step answers", { limit: 100_001 }, /limit: /],
  ])("%s", (_, input, reason) => expect(refusals(input).join("\n")).toMatch(reason));
});
