import { describe, expect, test } from "vitest";
import { good, names, week } from "./checks/questions.ts";
import { sandboxForTests } from "./checks/sandbox-for-tests.ts";

const sandbox = await sandboxForTests();

describe("a report call is refused", () => {
  test("checks come in the vendor's order", async () => {
    const everything = { metrics: names("nonsense"), limit: -1, orderBys: [{ metric: { metricName: "y" } }] };
    expect((await sandbox.report(everything)).body.error.message).toMatch(/nonsense/);
    expect((await sandbox.report({ ...everything, metrics: names("sessions") })).body.error.message).toMatch(/^limit/);
    expect((await sandbox.report({ ...everything, metrics: names("sessions"), limit: 1 })).body.error.message).toBe(
      "A dateRange is required.",
    );
    expect((await sandbox.call("POST", "/v1beta/properties/abc:runReport", "{")).body.error.message).toMatch(
      /^Invalid property ID: abc\. A numeric/,
    );
  });

  test("pivots, batches and realtime have refusals of their own", async () => {
    const call = async (verb: string, body: object) =>
      (await sandbox.call("POST", `/v1beta/properties/1000:${verb}`, body)).body.error.message;
    const pivot = { ...good, dimensions: names("country", "browser") };
    expect(await call("runPivotReport", pivot)).toMatch(/at least one pivot/);
    expect(await call("runPivotReport", { ...pivot, pivots: [{ fieldNames: ["country"] }] })).toMatch(
      /limit of each pivot is required/,
    );
    expect(
      await call("runPivotReport", {
        ...pivot,
        pivots: [
          { fieldNames: ["country"], limit: 600 },
          { fieldNames: ["browser"], limit: 500 },
        ],
      }),
    ).toMatch(/250000/);
    expect(await call("runPivotReport", { ...pivot, pivots: [{ fieldNames: ["country"], limit: 1 }] })).toMatch(
      /Dimension browser must be in a pivot/,
    );
    expect(await call("runPivotReport", { ...pivot, pivots: [{ fieldNames: ["country", "city"], limit: 1 }] })).toMatch(
      /Field city/,
    );
    expect(await call("batchRunReports", { requests: Array(6).fill(good) })).toBe(
      "Batch requests are limited to 5 requests.\n  This batch request contains 6 requests.",
    );
    expect(await call("batchRunReports", {})).toBe(
      "The batchRunReportsRequest must contain at least one runReportRequest.",
    );
    expect(await call("batchRunReports", { requests: [good, { ...good, property: "properties/1001" }] })).toMatch(
      /properties\/1001/,
    );
    expect(await call("batchRunReports", { requests: [good, { ...good, limit: -1 }] })).toMatch(/^limit/);
    expect(await call("runRealtimeReport", { metrics: names("sessions") })).toMatch(/is not a valid metric/);
    expect(await call("runRealtimeReport", { metrics: names("activeUsers"), ...week })).toMatch(
      /Unknown name "dateRanges"/,
    );
    expect(
      await call("runRealtimeReport", { metrics: names("activeUsers"), minuteRanges: [{ startMinutesAgo: 45 }] }),
    ).toMatch(/29 minutes/);
  });
});

describe("properties that are not yours", () => {
  test.each(["2000", "424242"])("reports about %s are refused alike", async (id) => {
    const { status, body } = await sandbox.report(good, id);
    expect(status).toBe(403);
    expect(body.error.message).toBe(
      "User does not have sufficient permissions for this property. To learn more about Property ID, see https://developers.google.com/analytics/devguides/reporting/data/v1/property-id.",
    );
  });

  test.each([
    "/v1beta/properties/2000",
    "/v1beta/properties/424242",
    "/v1beta/accounts/200",
    "/v1beta/properties/2000/keyEvents",
  ])("GET %s", async (path) => {
    const { status, body } = await sandbox.call("GET", path);
    expect(status).toBe(403);
    expect(body.error).toEqual({
      code: 403,
      message: "The caller does not have permission",
      status: "PERMISSION_DENIED",
    });
  });
});
