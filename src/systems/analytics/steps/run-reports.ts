import * as z from "zod";
import { step } from "../../define.ts";
import { allPages, type Paged, type Paging } from "../../read-pages.ts";
import type { Work } from "../../work.ts";
import { currencyOptions, dimensions, metrics, properties } from "../options/options.ts";
import { withNearestNames } from "../options/unknown-field.ts";
import { idIn } from "../protocol/ids.ts";
import { addQuota, type Quota, type ReportPage, readReport, rowsIn, totalsOf } from "../protocol/report-answer.ts";
import { textOf } from "../protocol/vendor-json.ts";
import type { ReportInput } from "../reports/report-fields.ts";
import { ReportQuestion } from "../reports/report-input.ts";
import { pageRows, reportRequest, reportTokens, rowsMax, tokenOf } from "../reports/report-request.ts";
import { reportWarnings } from "../reports/report-warnings.ts";
import { analytics } from "../system.ts";

const Figure = z.number().nullable();

const output = z.object({
  rows: z.array(z.record(z.string(), z.union([z.string(), Figure]))).meta({
    title: "Rows",
    description: "One object a row: dimensions as text, metrics as numbers; `date_range` where there are several.",
  }),
  row_count: z.int().meta({ title: "Row count", description: "All rows that match, also those beyond the limit." }),
  totals: z
    .record(z.string(), z.union([Figure, z.record(z.string(), Figure)]))
    .optional()
    .meta({
      title: "Totals",
      description:
        "Each metric over everything that matches, as the system counts it; with several ranges, one such object for each, by the range's name.",
    }),
  quota: z.record(z.string(), z.object({ consumed: z.number(), remaining: z.number() })).meta({
    title: "Quota",
    description: "What this report took of the property's quota, and what is left.",
  }),
  time_zone: z.string().optional().meta({ title: "Time zone", description: "Where the property's days begin." }),
  currency_code: z.string().optional().meta({ title: "Currency", description: "Of amounts of money in the rows." }),
  next: z.string().nullable().meta({
    title: "Next",
    description: "Where a cap ended it: give it back as `after`, with the same question. Else null.",
  }),
});

/** Reads rows page by page, and keeps the other members of the pages. */
function* readPages(input: ReportInput): Work<{ paged: Paged; last: ReportPage; quota: Quota }> {
  let last = readReport({}, 0);
  let quota: Quota = {};
  const offsetOf = (cursor: string | null) => Number(cursor ?? 0) || 0;
  const paging: Paging = {
    request: (cursor) => reportRequest(input, offsetOf(cursor)),
    read({ body }, cursor) {
      last = readReport(body, pageRows(input));
      quota = addQuota(quota, last.quota);
      const read = offsetOf(cursor) + last.rows.length;
      const isMore = !input.realtime && last.rows.length > 0 && read < last.rowCount;
      return { items: last.rows, next: isMore ? String(read) : null };
    },
  };
  const paged = yield* allPages(paging, { of: tokenOf(input), maxItems: rowsMax(input), after: input.after });
  return { paged, last, quota };
}

export const runReports = step({
  id: "run_reports",
  title: "Run Reports",
  summary: "Runs a report on a property: metrics by dimensions over a period, all rows, with totals.",
  forModels:
    "Use this for figures of a website or app: visits, users, page views, key events, revenue, by day, country, page, source and so on. " +
    "Name metrics and dimensions by their API names (`sessions`, `activeUsers`, `screenPageViews`; `date`, `country`, `pagePath`); the options of `metrics` and `dimensions` find them. " +
    "Take sums from `totals`: users must not be added up over rows. No rows is a result, not an error. Keep ranges short and set `limit` where a few rows do. " +
    "For what happens right now set `realtime`. It cannot reach data of the previous generation (ids that begin with UA-).",
  words: [
    "report",
    "statistics",
    "traffic",
    "visits",
    "visitors",
    "users",
    "page views",
    "sessions",
    "conversions",
    "revenue",
    "query",
    "runReport",
    "realtime",
    "top pages",
  ],
  system: analytics,
  effect: "read",
  needsLevel: "viewer",
  input: ReportQuestion,
  output,
  document: { title: "Report", description: "The rows of a web analytics report" },
  examples: [
    {
      title: "Sessions and users by country in the last 30 full days",
      input: {
        property_id: "1000",
        metrics: ["sessions", "activeUsers"],
        dimensions: ["country"],
        date_range: { start_date: "30daysAgo", end_date: "yesterday" },
      },
    },
    {
      title: "The ten most viewed shop pages of a week",
      input: {
        property_id: "properties/1000",
        metrics: ["screenPageViews"],
        dimensions: ["pagePath"],
        date_range: { start_date: "7daysAgo", end_date: "yesterday" },
        filters: [
          { field: "pagePath", operator: "begins_with", value: "/shop/" },
          { field: "screenPageViews", operator: "greater_than", value: 1 },
        ],
        order_by: [{ field: "screenPageViews", desc: true }],
        limit: 10,
      },
    },
    {
      title: "Two weeks beside each other, without tablets in France or Spain",
      input: {
        property_id: "1000",
        metrics: ["sessions", "engagementRate"],
        dimensions: ["sessionDefaultChannelGroup"],
        date_ranges: [
          { start_date: "7daysAgo", end_date: "yesterday", name: "this week" },
          { start_date: "14daysAgo", end_date: "8daysAgo", name: "the week before" },
        ],
        dimension_filter: {
          andGroup: {
            expressions: [
              { filter: { fieldName: "country", inListFilter: { values: ["France", "Spain"] } } },
              {
                notExpression: {
                  filter: { fieldName: "deviceCategory", stringFilter: { matchType: "EXACT", value: "tablet" } },
                },
              },
            ],
          },
        },
      },
    },
    {
      title: "Who is here now, by page title",
      input: { property_id: "1000", metrics: ["activeUsers"], dimensions: ["unifiedScreenName"], realtime: true },
    },
  ],
  options: { property_id: properties, metrics, dimensions, currency_code: currencyOptions },
  *work(input, { now }) {
    try {
      const { paged, last, quota } = yield* readPages(input);
      const { metadata } = last;
      const rows = yield* rowsIn({ ...last, rows: paged.items });
      const totals = totalsOf(last.totals, input.metrics);
      const timeZone = textOf(metadata.timeZone);
      const currency = textOf(metadata.currencyCode);
      // Ending at the requested limit is no cap, and needs neither a warning nor a resume token.
      const isEnough = input.limit !== undefined && paged.items.length >= input.limit;
      return {
        output: {
          rows,
          row_count: last.rowCount,
          ...(totals ? { totals: totals as z.output<typeof output>["totals"] } : {}),
          quota,
          ...(timeZone === "" ? {} : { time_zone: timeZone }),
          ...(currency === "" ? {} : { currency_code: currency }),
          next: isEnough ? null : paged.next,
        },
        warnings: [...(isEnough ? [] : paged.warnings), ...reportWarnings(input, last, now)],
      };
    } catch (error) {
      throw yield* withNearestNames(error, idIn(input.property_id), input.realtime ?? false);
    }
  },
  preview: (input) => reportRequest(input, 0),
  cost(input) {
    const tokens = reportTokens(input);
    const rows = pageRows(input);
    const calls = input.limit === undefined ? 1 : Math.ceil(input.limit / rows);
    const note = `An estimate of ${tokens} ${tokens === 1 ? "token" : "tokens"} of the property's quota for each ${rows} rows; days, columns and filters decide.`;
    return { calls, tokens: tokens * calls, note };
  },
});
