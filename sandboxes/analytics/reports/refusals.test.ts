import { describe, expect, test } from "vitest";
import { good, names, week } from "../checks/questions.ts";
import { sandboxForTests } from "../checks/sandbox-for-tests.ts";

const sandbox = await sandboxForTests();

const schema =
  "For a list of valid dimensions and metrics, see https://developers.google.com/analytics/devguides/reporting/data/v1/api-schema ";

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
    [
      "an expression without end",
      { ...good, metrics: [{ name: "x", expression: "(".repeat(20_000) }] },
      /^Metric expression "\(+" is invalid\.$/,
    ],
    ["a broken expression", { ...good, metrics: [{ name: "x", expression: "sessions +" }] }, /expression/],
  ])("%s", async (_, question, message) => {
    const { status, body } = await sandbox.report(question);
    expect(body.error).toMatchObject({ code: 400, status: "INVALID_ARGUMENT" });
    expect(status).toBe(400);
    if (typeof message === "string") expect(body.error.message).toBe(message);
    else expect(body.error.message).toMatch(message);
  });
});
