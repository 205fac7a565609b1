import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type SandboxClient, startSandbox, testTime } from "./checks/sandbox-client.ts";

let sandbox: SandboxClient;
beforeAll(async () => {
  sandbox = await startSandbox();
  await sandbox.door("/clock", { now: testTime });
});
afterAll(() => sandbox.stop());
afterEach(() => expect(sandbox.problems).toEqual([]));

const names = (...list: string[]) => list.map((name) => ({ name }));
const week = { dateRanges: [{ startDate: "7daysAgo", endDate: "yesterday" }] };
const good = { metrics: names("sessions"), ...week };
const reportPath = "/v1beta/properties/1000:runReport";
const schema =
  "For a list of valid dimensions and metrics, see https://developers.google.com/analytics/devguides/reporting/data/v1/api-schema ";

describe("credentials", () => {
  test("none at all, with the method's name in the details", async () => {
    const { status, body, headers } = await sandbox.call("POST", reportPath, good, null);
    expect(status).toBe(401);
    expect(body.error.status).toBe("UNAUTHENTICATED");
    expect(body.error.message).toMatch(
      /^Request is missing required authentication credential\. Expected OAuth 2 access token, /,
    );
    expect(body.error.details[0]).toMatchObject({
      reason: "CREDENTIALS_MISSING",
      domain: "googleapis.com",
      metadata: {
        service: "analyticsdata.googleapis.com",
        method: "google.analytics.data.v1beta.BetaAnalyticsData.RunReport",
      },
    });
    expect(headers.get("www-authenticate")).toBe('Bearer realm="https://accounts.google.com/"');
  });

  test("an unknown token, before the body is read", async () => {
    const { status, body, headers } = await sandbox.call("POST", reportPath, "{ no json", "ya29.unknown");
    expect(status).toBe(401);
    expect(body.error.message).toMatch(/^Request had invalid authentication credentials\. /);
    expect(body.error.details).toBeUndefined();
    expect(headers.get("www-authenticate")).toMatch(/error="invalid_token"$/);
  });

  test.each([
    ["POST", reportPath, "ya29.sandbox-edit-scope-only"],
    ["POST", "/v1beta/properties/1000/keyEvents", "ya29.sandbox-read-scope-only"],
    ["DELETE", "/v1beta/properties/1000", "ya29.sandbox-read-scope-only"],
  ])("a missing scope: %s %s with %s", async (method, path, token) => {
    const { status, body } = await sandbox.call(method, path, method === "POST" ? good : undefined, token);
    expect(status).toBe(403);
    expect(body.error.message).toBe("Request had insufficient authentication scopes.");
    expect(body.error.details[0].reason).toBe("ACCESS_TOKEN_SCOPE_INSUFFICIENT");
  });

  test("an Admin read goes with either scope", async () => {
    for (const token of ["ya29.sandbox-edit-scope-only", "ya29.sandbox-read-scope-only"]) {
      expect((await sandbox.call("GET", "/v1beta/properties/1000", undefined, token)).status).toBe(200);
    }
  });
});

describe("paths", () => {
  test.each([
    ["GET", reportPath],
    ["PUT", "/v1beta/properties/1000"],
    ["POST", "/v1beta/properties/1000:runNothing"],
    ["GET", "/v1beta/nothing"],
    ["GET", "/v1alpha/properties/1000"],
    ["GET", "/"],
    ["DELETE", "/v1beta/accounts/100/properties"],
  ])("%s %s is a page", async (method, path) => {
    const { status, headers, text } = await sandbox.call(method, path);
    expect(status).toBe(404);
    expect(headers.get("content-type")).toBe("text/html; charset=UTF-8");
    expect(text).toContain("404");
  });

  test("a path cannot write into the page", async () => {
    const { text } = await sandbox.call("GET", "/v1beta/<script>alert(1)</script>");
    expect(text).not.toContain("<script>");
  });

  test("unknown query parameters are refused, the vendor's own are not", async () => {
    const { status, body } = await sandbox.call("GET", "/v1beta/properties/1000?colour=red");
    expect(status).toBe(400);
    expect(body.error.message).toBe(
      `Invalid JSON payload received. Unknown name "colour": Cannot bind query parameter. Field 'colour' could not be found in request message.`,
    );
    expect(
      (await sandbox.call("GET", "/v1beta/properties/1000?$alt=json;enum-encoding=int&prettyPrint=false")).status,
    ).toBe(200);
  });

  test("fields= selects a part", async () => {
    const { body } = await sandbox
      .call("POST", `${reportPath}?fields=rows(metricValues),metadata/timeZone`, good)
      .catch(() => ({ body: null }));
    expect(Object.keys(body)).toEqual(["rows", "metadata"]);
    expect(body.metadata).toEqual({ timeZone: "Europe/Paris" });
    // A part has no kind, which the lists expect of a whole.
    sandbox.problems.length = 0;
  });
});

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

describe("a question that makes no sense", () => {
  const range = (startDate: string, endDate: string) => ({
    metrics: names("sessions"),
    dateRanges: [{ startDate, endDate }],
  });
  const filter = (fieldName: string, rest: object) => ({
    ...good,
    dimensionFilter: { filter: { fieldName, ...rest } },
  });

  test.each<[string, object, string | RegExp]>([
    [
      "a dimension that is none",
      { ...good, dimensions: names("countries") },
      `Did you mean country? Field countries is not a valid dimension. ${schema}`,
    ],
    [
      "a metric that is none",
      { ...good, metrics: names("session") },
      `Did you mean sessions? Field session is not a valid metric.  ${schema}`,
    ],
    [
      "an expression with one",
      { ...good, metrics: [{ name: "x", expression: "sessions/nobodys" }] },
      /^Field nobodys is not a valid metric\./,
    ],
    ["the same dimension twice", { ...good, dimensions: names("date", "date") }, "Found duplicate dimensions: date"],
    [
      "the same metric twice",
      { ...good, metrics: names("sessions", "sessions") },
      "Duplicate metrics are not allowed. Found duplicate metrics: sessions",
    ],
    ["a negative limit", { ...good, limit: -1 }, "limit must be positive. The API received limit = -1"],
    ["a negative offset", { ...good, offset: "-5" }, "offset must be positive. The API received offset = -5"],
    ["no range", { metrics: names("sessions") }, "A dateRange is required."],
    [
      "a day that is none",
      range("2026-02-30", "today"),
      "Invalid startDate : 2026-02-30. startDate must be YYYY-MM-DD, NdaysAgo, yesterday, or today.",
    ],
    [
      "an end that is none",
      range("today", "tomorrow"),
      "Invalid endDate : tomorrow. endDate must be YYYY-MM-DD, NdaysAgo, yesterday, or today.",
    ],
    [
      "an end before the start",
      range("2026-02-02", "2026-02-01"),
      "start_date must be less than or equal to end_date. start_date = 2026-02-02 and end_date = 2026-02-01",
    ],
    [
      "too long ago",
      range("2015-08-13", "today"),
      "start_date = 2015-08-13 must be greater than 2015-08-13 and less than 3000-01-01.",
    ],
    [
      "five ranges",
      { ...good, dateRanges: Array(5).fill(week.dateRanges[0]) },
      "Requests are limited to 4 dateRanges.\n  This request contains 5 dateRanges.",
    ],
    [
      "a name that is taken",
      { ...good, dateRanges: [{ ...week.dateRanges[0], name: "date_range_7" }] },
      /date_range_7/,
    ],
    [
      "ten dimensions",
      {
        ...good,
        dimensions: names("date", "year", "month", "week", "day", "hour", "country", "city", "region", "browser"),
      },
      "Requests are limited to 9 dimensions within a nested request.\n  This request is for 10 dimensions.",
    ],
    [
      "eleven metrics",
      {
        ...good,
        metrics: names(
          "sessions",
          "activeUsers",
          "totalUsers",
          "newUsers",
          "eventCount",
          "keyEvents",
          "bounceRate",
          "engagementRate",
          "eventValue",
          "transactions",
          "checkouts",
        ),
      },
      "Requests are limited to 10 metrics within a nested request.\n  This request is for 11 metrics.",
    ],
    ["nothing", week, "Requests require dimensions and/or metrics. Most requests include both."],
    [
      "an order by what is not there",
      { ...good, orderBys: [{ metric: { metricName: "totalUsers" } }] },
      "Field totalUsers exists in OrderBy but is not defined in input Dimensions/Metrics list",
    ],
    [
      "COUNT",
      { ...good, metricAggregations: ["COUNT"] },
      "Metric aggregation Count is not supported in ReportRequest.",
    ],
    ["a filter without a kind", filter("country", {}), /must have one of/],
    ["an empty list", filter("country", { inListFilter: { values: [] } }), /at least one value/],
    [
      "a broken pattern",
      filter("country", { stringFilter: { matchType: "FULL_REGEXP", value: "(" } }),
      /regular expression/,
    ],
    ["an empty group", { ...good, dimensionFilter: { andGroup: {} } }, /at least one expression/],
    [
      "a text filter on a metric",
      { ...good, metricFilter: { filter: { fieldName: "sessions", stringFilter: { value: "1" } } } },
      /must be a numericFilter/,
    ],
    ["a currency that is none", { ...good, currencyCode: "XXQ" }, /Invalid currencyCode/],
    [
      "item fields with other counts",
      { ...good, dimensions: names("itemId"), metrics: names("itemViewEvents") },
      "Please remove itemViewEvents to make the request compatible for example. The request's dimensions & metrics are incompatible. To learn more, see https://ga-dev-tools.web.app/ga4/dimensions-metrics-explorer/",
    ],
    ["cohort fields without cohorts", { ...good, dimensions: names("cohort") }, /^Please remove cohort to make/],
    [
      "advertising without a campaign",
      { ...good, metrics: names("advertiserAdCost") },
      /^Please add sessionCampaignName to make/,
    ],
    [
      "search results by visitor",
      { ...good, dimensions: names("browser"), metrics: names("organicGoogleSearchClicks") },
      /^Please remove browser/,
    ],
    ["cohorts and ranges", { ...good, cohortSpec: { cohorts: [] } }, /dateRanges must be empty/],
    ["a broken expression", { ...good, metrics: [{ name: "x", expression: "sessions +" }] }, /expression/],
  ])("%s", async (_, question, message) => {
    const { status, body } = await sandbox.report(question);
    expect(body.error).toMatchObject({ code: 400, status: "INVALID_ARGUMENT" });
    expect(status).toBe(400);
    if (typeof message === "string") expect(body.error.message).toBe(message);
    else expect(body.error.message).toMatch(message);
  });

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
