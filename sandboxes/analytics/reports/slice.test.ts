import { describe, expect, test } from "vitest";
import { days, names, september, text } from "../checks/questions.ts";
import { rowsOf } from "../checks/sandbox-client.ts";
import { sandboxForTests } from "../checks/sandbox-for-tests.ts";

const sandbox = await sandboxForTests();

describe("several ranges, comparisons, cohorts, pivots", () => {
  test("several ranges add a last column, and a total for each", async () => {
    const { body } = await sandbox.report({
      dimensions: names("country"),
      metrics: names("sessions"),
      dateRanges: [
        { startDate: "2026-09-01", endDate: "2026-09-30", name: "now" },
        { startDate: "2026-08-01", endDate: "2026-08-31" },
      ],
      metricAggregations: ["TOTAL"],
    });
    expect(body.dimensionHeaders.map((each: { name: string }) => each.name)).toEqual(["country", "dateRange"]);
    expect(new Set(rowsOf(body).map((row) => row[1]))).toEqual(new Set(["now", "date_range_1"]));
    expect(rowsOf({ rows: body.totals }).map((row) => row.slice(0, 2))).toEqual([
      ["RESERVED_TOTAL", "now"],
      ["RESERVED_TOTAL", "date_range_1"],
    ]);
  });

  test("comparisons, saved and own, have rows of their own", async () => {
    const comparisons = [
      { comparison: "comparisons/3001" },
      { name: "France", dimensionFilter: text("country", "France") },
    ];
    const found = await sandbox.rows({ metrics: names("sessions"), comparisons, ...september });
    const mobile = await sandbox.one({
      metrics: names("sessions"),
      dimensionFilter: text("deviceCategory", "mobile"),
      ...september,
    });
    expect(found).toContainEqual(["Mobile traffic", mobile]);
    expect(found.map(([name]) => name).sort()).toEqual(["France", "Mobile traffic"]);
  });

  test("a cohort followed for longer than there are dates has what there is", async () => {
    const cohort = { dimension: "firstSessionDate", dateRange: september.dateRanges[0] };
    const followed = async (endOffset: number) =>
      sandbox.rows({
        dimensions: names("cohort"),
        metrics: names("cohortActiveUsers"),
        cohortSpec: { cohorts: [cohort], cohortsRange: { granularity: "MONTHLY", endOffset } },
      });
    expect(await followed(2 ** 31 - 1)).toEqual(await followed(60));
  });

  test("a cohort shrinks with time, and never when it accumulates", async () => {
    const cohortSpec = {
      cohorts: [
        {
          name: "september",
          dimension: "firstSessionDate",
          dateRange: { startDate: "2026-09-06", endDate: "2026-09-12" },
        },
      ],
      cohortsRange: { granularity: "WEEKLY", startOffset: 0, endOffset: 3 },
    };
    const question = {
      dimensions: names("cohort", "cohortNthWeek"),
      metrics: names("cohortActiveUsers", "cohortTotalUsers"),
      orderBys: [{ dimension: { dimensionName: "cohortNthWeek" } }],
    };
    const weeks = await sandbox.rows({ ...question, cohortSpec });
    const size = await sandbox.one({ metrics: names("newUsers"), ...days("2026-09-06", "2026-09-12") });
    expect(weeks[0]).toEqual(["september", "0000", size, size]);
    expect(Number(weeks[1]?.[2])).toBeLessThan(size);
    const grown = await sandbox.rows({
      ...question,
      cohortSpec: { ...cohortSpec, cohortReportSettings: { accumulate: true } },
    });
    expect(grown.map((row) => row[2])).toEqual(grown.map(() => size));
  });

  test("a pivot's cells agree with a flat report, and its totals with the data", async () => {
    const dimensions = names("country", "pagePath");
    const { status, body } = await sandbox.call("POST", "/v1beta/properties/1000:runPivotReport", {
      dimensions,
      metrics: names("totalUsers"),
      ...september,
      pivots: [
        { fieldNames: ["country"], limit: "2", metricAggregations: ["TOTAL"] },
        { fieldNames: ["pagePath"], limit: 3, orderBys: [{ dimension: { dimensionName: "pagePath" } }] },
      ],
    });
    expect(status).toBe(200);
    const flat = await sandbox.rows({ dimensions, metrics: names("totalUsers"), ...september });
    expect(rowsOf(body)).toHaveLength(6);
    for (const cell of rowsOf(body)) expect(flat).toContainEqual(cell);
    const byPage = await sandbox.rows({ dimensions: names("pagePath"), metrics: names("totalUsers"), ...september });
    for (const [marker, path, users] of rowsOf({ rows: body.aggregates })) {
      expect(marker).toBe("RESERVED_TOTAL");
      expect(byPage).toContainEqual([path ?? "", users ?? 0]);
    }
    expect(body.pivotHeaders[0].pivotDimensionHeaders.at(-1)).toEqual({
      dimensionValues: [{ value: "RESERVED_TOTAL" }],
    });
    expect(body.pivotHeaders[0].rowCount).toBeGreaterThan(2);
  });

  test("a pivot over ranges can be ordered by a value of the other pivot", async () => {
    const { body } = await sandbox.call("POST", "/v1beta/properties/1000:runPivotReport", {
      dimensions: names("browser"),
      metrics: names("sessions"),
      dateRanges: [...september.dateRanges, ...days("2026-08-01", "2026-08-31").dateRanges],
      pivots: [
        {
          fieldNames: ["browser"],
          limit: 10,
          orderBys: [
            {
              desc: true,
              pivot: {
                metricName: "sessions",
                pivotSelections: [{ dimensionName: "dateRange", dimensionValue: "date_range_1" }],
              },
            },
          ],
          metricAggregations: ["MAXIMUM"],
        },
        { fieldNames: ["dateRange"], limit: 2, metricAggregations: ["TOTAL"] },
      ],
    });
    const august = rowsOf(body)
      .filter((row) => row[1] === "date_range_1")
      .map((row) => Number(row[2]));
    expect(august).toEqual([...august].sort((a, b) => b - a));
    expect(rowsOf({ rows: body.aggregates })).toContainEqual(["RESERVED_MAX", "date_range_1", august[0] ?? 0]);
  });
});
