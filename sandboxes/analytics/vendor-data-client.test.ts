import { AnalyticsAdminServiceClient } from "@google-analytics/admin";
import { BetaAnalyticsDataClient, protos } from "@google-analytics/data";
import { describe, expect, test } from "vitest";
import { testTime, tokens } from "./checks/sandbox-client.ts";
import { sandboxForTests } from "./checks/sandbox-for-tests.ts";
import { clientOptions } from "./checks/vendor-client.ts";

const sandbox = await sandboxForTests();
const data = new BetaAnalyticsDataClient(clientOptions(sandbox, tokens.viewer));

const { TOTAL, MAXIMUM, MINIMUM } = protos.google.analytics.data.v1beta.MetricAggregation;
const property = "properties/1000";
const lastWeek = [{ startDate: "7daysAgo", endDate: "yesterday" }];

describe("the vendor's Data client", () => {
  test("runs a report with filters, order, aggregates and quota", async () => {
    const [report] = await data.runReport({
      property,
      dateRanges: lastWeek,
      dimensions: [{ name: "date" }, { name: "country" }],
      metrics: [{ name: "sessions" }, { name: "activeUsers" }, { name: "conversions" }],
      dimensionFilter: { filter: { fieldName: "country", inListFilter: { values: ["France", "Germany"] } } },
      metricFilter: {
        filter: { fieldName: "sessions", numericFilter: { operation: "GREATER_THAN", value: { int64Value: 2 } } },
      },
      orderBys: [{ dimension: { dimensionName: "date" } }, { metric: { metricName: "sessions" }, desc: true }],
      metricAggregations: [TOTAL, MAXIMUM, MINIMUM],
      limit: 5,
      returnPropertyQuota: true,
    });
    expect(report.rows).toHaveLength(5);
    expect(report.rowCount).toBeGreaterThan(5);
    expect(report.metricHeaders?.map((header) => header.type)).toEqual(["TYPE_INTEGER", "TYPE_INTEGER", "TYPE_FLOAT"]);
    expect(report.totals?.[0]?.dimensionValues?.[0]?.value).toBe("RESERVED_TOTAL");
    expect(report.propertyQuota?.tokensPerDay?.consumed).toBeGreaterThan(0);
    expect(report.kind).toBe("analyticsData#runReport");
  });

  test("runs a batch, a pivot, a realtime report and a compatibility check", async () => {
    const question = { dateRanges: lastWeek, metrics: [{ name: "sessions" }] };
    const [batch] = await data.batchRunReports({
      property,
      requests: [question, { ...question, dimensions: [{ name: "city" }] }],
    });
    expect(batch.reports).toHaveLength(2);
    const pivots = [
      { fieldNames: ["country"], limit: 3, metricAggregations: [TOTAL] },
      { fieldNames: ["browser"], limit: 2 },
    ];
    const pivotQuestion = { ...question, dimensions: [{ name: "country" }, { name: "browser" }], pivots };
    const [pivot] = await data.runPivotReport({ property, ...pivotQuestion });
    expect(pivot.pivotHeaders).toHaveLength(2);
    const [pivotBatch] = await data.batchRunPivotReports({ property, requests: [pivotQuestion] });
    expect(pivotBatch.pivotReports).toHaveLength(1);
    const [realtime] = await data.runRealtimeReport({
      property,
      dimensions: [{ name: "unifiedScreenName" }],
      metrics: [{ name: "activeUsers" }, { name: "screenPageViews" }],
      metricAggregations: [TOTAL],
      minuteRanges: [{ startMinutesAgo: 29, endMinutesAgo: 0 }],
    });
    expect(realtime.kind).toBe("analyticsData#runRealtimeReport");
    const [compatible] = await data.checkCompatibility({
      property,
      dimensions: [{ name: "itemId" }],
      metrics: [{ name: "itemRevenue" }],
      compatibilityFilter: "INCOMPATIBLE",
    });
    expect(compatible.metricCompatibilities?.map((each) => each.metricMetadata?.apiName)).toContain("sessions");
  });

  test("reads metadata, with custom fields and older names", async () => {
    const [metadata] = await data.getMetadata({ name: `${property}/metadata` });
    const keyEvents = metadata.metrics?.find((metric) => metric.apiName === "keyEvents");
    expect(keyEvents?.deprecatedApiNames).toEqual(["conversions"]);
    expect(metadata.dimensions?.find((each) => each.apiName === "customEvent:plan")?.customDefinition).toBe(true);
    const [universal] = await data.getMetadata({ name: "properties/0/metadata" });
    expect(universal.comparisons).toEqual([]);
  });

  test("sees the signs of lesser data", async () => {
    await sandbox.control("/limits", { sampling_events_max: 1000 });
    const [report] = await data.runReport({
      property,
      dateRanges: [{ startDate: "2020-01-01", endDate: "yesterday" }],
      dimensions: [{ name: "userGender" }, { name: "pagePathPlusQueryString" }],
      metrics: [{ name: "totalUsers" }],
    });
    await sandbox.control("/limits", { sampling_events_max: 10_000_000 });
    expect(report.metadata).toMatchObject({ dataLossFromOtherRow: true, subjectToThresholding: true });
    expect(Number(report.metadata?.samplingMetadatas?.[0]?.samplesReadCount)).toBeGreaterThan(0);
    expect(report.metadata?.dataTruncationReasons?.[0]?.dataTruncationType).toBe("DATA_TRUNCATION_TYPE_PROPERTY");
  });

  test("decodes refusals", async () => {
    const refused = data.runReport({ property, dateRanges: lastWeek, metrics: [{ name: "session" }] });
    await expect(refused).rejects.toMatchObject({
      code: 3,
      message: expect.stringContaining("Did you mean sessions?"),
    });
    await expect(
      data.runReport({ property: "properties/2000", metrics: [{ name: "sessions" }] }),
    ).rejects.toMatchObject({ code: 7 });
    const nobody = new BetaAnalyticsDataClient(clientOptions(sandbox, "ya29.nobody"));
    await expect(nobody.runReport({ property })).rejects.toMatchObject({ code: 16 });
    await expect(
      data.runReport({ property: "properties/1429", metrics: [{ name: "sessions" }] }),
    ).rejects.toMatchObject({ code: 8 });
  });
});

// AIP-4111: "the self-signed JWT" is what Google's own libraries send for a service account, by default.
describe("a service account in the vendor's clients", () => {
  test("signs its own tokens, and asks for none", async () => {
    await sandbox.control("/clock", { now: new Date().toISOString() });
    const { credentials: all } = (await sandbox.control("")) as { credentials: Record<string, Record<string, object>> };
    const { authClient: _, ...options } = clientOptions(sandbox, "");
    const as = (file: object | undefined) => ({ ...options, credentials: file as { client_email: string } });
    const reports = new BetaAnalyticsDataClient(as(all.service_account));
    const question = { property, dateRanges: lastWeek, metrics: [{ name: "sessions" }] };
    expect((await reports.runReport(question))[0].rows).toHaveLength(1);
    const properties = new AnalyticsAdminServiceClient(as(all.service_account));
    expect((await properties.listAccountSummaries())[0]).toHaveLength(1);
    const elsewhere = new BetaAnalyticsDataClient(as(all.other_service_accounts?.other_project));
    await expect(elsewhere.runReport(question)).rejects.toMatchObject({ code: 7, reason: "SERVICE_DISABLED" });
    const disabled = new BetaAnalyticsDataClient(as(all.other_service_accounts?.disabled_key));
    await expect(disabled.runReport(question)).rejects.toMatchObject({ code: 16 });
    const ended = new BetaAnalyticsDataClient(as(all.other_service_accounts?.disabled_account));
    await expect(ended.runReport(question)).rejects.toMatchObject({ code: 16 });
    const { requests } = (await sandbox.control("/requests")) as { requests: { path: string }[] };
    expect(requests.filter(({ path }) => path === "/token")).toEqual([]);
    await sandbox.control("/clock", { now: testTime });
  });
});
