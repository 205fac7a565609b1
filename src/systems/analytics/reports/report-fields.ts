import * as z from "zod";
import { isCurrency } from "../options/currencies.ts";
import { daysBetween, readDay } from "../protocol/date-ranges.ts";
import { PropertyId } from "../protocol/ids.ts";
import { Expression } from "./filter-expression.ts";
import { FilterRow } from "./filters.ts";

const ReportDate = z
  .string()
  .refine((text) => readDay(text) !== null, "Write YYYY-MM-DD, NdaysAgo such as 30daysAgo, yesterday or today.");

const DateRange = z
  .strictObject({
    start_date: ReportDate.meta({
      title: "First day",
      description: "YYYY-MM-DD, `30daysAgo`, `yesterday` or `today`, in the property's time zone.",
    }),
    end_date: ReportDate.meta({ title: "Last day", description: "As the first; the day itself is included." }),
    name: z
      .string()
      .max(50)
      .regex(/^(?!date_range_|RESERVED_)\w[\w -]*$/, "Letters, digits and spaces; not beginning with date_range_.")
      .optional()
      .meta({ title: "Name", description: "What rows of this range say in `date_range`, where there are several." }),
  })
  .refine(({ start_date, end_date }) => {
    const [start, end] = [readDay(start_date), readDay(end_date)];
    return !start || !end || (daysBetween(start, end) ?? 1) >= 1;
  }, "The first day lies after the last one.");

const FieldName = z.string().trim().min(1).max(200);
export const isUnique = (names: readonly string[]): boolean => new Set(names).size === names.length;

export const ReportFields = z.strictObject({
  property_id: PropertyId,
  metrics: z.array(FieldName).min(1).max(10).refine(isUnique, "Name each metric once.").meta({
    title: "Metrics",
    description: "What is counted, such as `sessions`, `activeUsers`, `screenPageViews` or `keyEvents`: 1 to 10.",
  }),
  dimensions: z.array(FieldName).max(9).refine(isUnique, "Name each dimension once.").optional().meta({
    title: "Dimensions",
    description:
      "What the figures are split by, such as `date`, `country`, `sessionSource` or `pagePath`: at most 9. None gives one row.",
  }),
  date_range: DateRange.optional().meta({ title: "Date range", description: "The period to report on." }),
  date_ranges: z.array(DateRange).min(1).max(4).optional().meta({
    title: "Date ranges",
    description:
      "Up to 4 periods in one report, instead of `date_range`; each row then names its period in `date_range`.",
  }),
  filters: z.array(FilterRow).max(50).optional().meta({
    title: "Filters",
    description: "Conditions that must all hold, on dimensions or on metrics.",
  }),
  dimension_filter: Expression.optional().meta({
    title: "Dimension filter",
    description: "The system's full FilterExpression, for or, not and nesting.",
  }),
  metric_filter: Expression.optional().meta({
    title: "Metric filter",
    description: "The same for metrics; it holds after the figures are added up.",
  }),
  order_by: z
    .array(
      z.strictObject({
        field: FieldName.meta({ title: "Field", description: "A metric or dimension of this report." }),
        desc: z.boolean().optional().meta({ title: "Descending", description: "Largest or last first." }),
      }),
    )
    .max(19)
    .optional()
    .meta({ title: "Order", description: "Without it, the first metric decides, largest first." }),
  limit: z.int().min(1).max(100_000).optional().meta({
    title: "Rows at most",
    description: "Default: all rows, page by page, up to 100,000 rows or 8 MiB.",
  }),
  keep_empty_rows: z.boolean().optional().meta({
    title: "Keep empty rows",
    description: "Rows whose metrics are all 0 are left out by the system by default.",
  }),
  currency_code: z
    .string()
    .refine(isCurrency, "Use a code of ISO 4217, such as EUR.")
    .optional()
    .meta({ title: "Currency", description: "For amounts of money; default: the property's own." }),
  realtime: z.boolean().optional().meta({
    title: "Realtime",
    description:
      "The last 30 minutes instead of a date range. Few fields are available, and some processed signals are missing.",
  }),
  after: z.string().max(32_768).optional().meta({
    title: "Continue after",
    description: "The `next` of an earlier response to the same report that stopped at a cap.",
  }),
});

export type ReportInput = z.output<typeof ReportFields>;
