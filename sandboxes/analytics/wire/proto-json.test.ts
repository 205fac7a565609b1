import { describe, expect, test } from "vitest";
import { good, names, reportPath } from "../checks/questions.ts";
import { sandboxForTests } from "../checks/sandbox-for-tests.ts";

const sandbox = await sandboxForTests();

describe("the shape of a body", () => {
  test.each<[string, unknown, string]>([
    ["an unknown key", { ...good, x: 1 }, 'Invalid JSON payload received. Unknown name "x": Cannot find field.'],
    [
      "two, one of them nested",
      { y: 1, dateRanges: [{ startDate: "today", endDate: "today", z: 1 }] },
      'Invalid JSON payload received. Unknown name "y": Cannot find field.\nInvalid JSON payload received. Unknown name "z" at \'date_ranges[0]\': Cannot find field.',
    ],
    [
      "a word that is none",
      { ...good, metricAggregations: ["X"] },
      "Invalid value at 'metric_aggregations[0]' (type.googleapis.com/google.analytics.data.v1beta.MetricAggregation), \"X\"",
    ],
    ["a number for a text", { metrics: [{ name: 5 }] }, "Invalid value at 'metrics[0].name' (TYPE_STRING), 5"],
    ["a text for a number", { ...good, limit: "many" }, "Invalid value at 'limit' (TYPE_INT64), \"many\""],
    [
      "a text for a message",
      { ...good, dimensions: ["date"] },
      "Invalid value at 'dimensions[0]' (type.googleapis.com/google.analytics.data.v1beta.Dimension), \"date\"",
    ],
    [
      "a list for one",
      { ...good, dimensionFilter: [] },
      'Invalid JSON payload received. Unknown name "dimensionFilter": Proto field is not repeating, cannot start list.',
    ],
    [
      "two of one kind",
      { ...good, dimensionFilter: { filter: { fieldName: "date" }, notExpression: {} } },
      "Invalid value at 'dimension_filter' (oneof), oneof field 'expr' is already set. Cannot set 'not_expression'",
    ],
    ["a list", [], 'Invalid JSON payload received. Unknown name "": Root element must be a message.'],
  ])("%s", async (_, body, message) => {
    const answer = await sandbox.report(body as object);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 400, status: "INVALID_ARGUMENT", message });
    expect(answer.body.error.details[0].fieldViolations).toHaveLength(message.split("\n").length);
  });

  test("a filter a thousand levels deep", async () => {
    const deep = `${'{"notExpression":'.repeat(1000)}{}${"}".repeat(1000)}`;
    const { status, body } = await sandbox.call("POST", reportPath, `{"dimensionFilter":${deep}}`);
    expect(status).toBe(400);
    expect(body.error.message).toMatch(/Message too deep/);
  });

  test("no JSON, an empty body, and names in the other spelling", async () => {
    const broken = await sandbox.call("POST", reportPath, '{"metrics": [');
    expect(broken.body.error.message).toMatch(/^Invalid JSON payload received\. /);
    expect((await sandbox.call("POST", reportPath, "")).body.error.message).toBe("A dateRange is required.");
    const snake = {
      metrics: names("sessions"),
      date_ranges: [{ start_date: "7daysAgo", end_date: "yesterday" }],
      metric_aggregations: [1, 6],
    };
    const { status, body } = await sandbox.report(snake);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(expect.arrayContaining(["totals", "maximums"]));
  });
});
