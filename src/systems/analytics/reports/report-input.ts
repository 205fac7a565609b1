import type * as z from "zod";
import { refuseAfter } from "../../read-pages.ts";
import { isMetricField, refuseFilter } from "./filters.ts";
import { isUnique, ReportFields, type ReportInput } from "./report-fields.ts";
import { tokenOf } from "./report-request.ts";

type Context = z.core.$RefinementCtx;

/** Rules between the members of a report. */

export const ReportQuestion = ReportFields.superRefine((input, context) => {
  checkPeriod(input, context);
  checkNames(input, context);
  checkFilters(input, context);
  if (input.after !== undefined) {
    const refusal = refuseAfter(input.after, tokenOf(input));
    if (refusal) refuse(context, ["after"], refusal);
  }
});

const refuse = (context: Context, path: (string | number)[], message: string): void =>
  context.addIssue({ code: "custom", path, message });

function checkPeriod(input: ReportInput, context: Context): void {
  const { date_range, date_ranges, realtime } = input;
  if (realtime) {
    for (const name of ["date_range", "date_ranges", "keep_empty_rows", "currency_code"] as const)
      if (input[name] !== undefined)
        refuse(context, [name], "A realtime report covers the last 30 minutes: leave this out.");
    return;
  }
  if (date_range && date_ranges) refuse(context, ["date_ranges"], "Give `date_range` or `date_ranges`, not both.");
  if (!date_range && !date_ranges)
    refuse(context, ["date_range"], "Say which days to report on: {start_date, end_date}.");
  const names = (date_ranges ?? []).map(({ name }, index) => name ?? `date_range_${index}`);
  if (!isUnique(names)) refuse(context, ["date_ranges"], "Give each range a name of its own.");
}

function checkNames({ metrics, dimensions = [], order_by = [] }: ReportInput, context: Context): void {
  for (const [index, name] of dimensions.entries())
    if (metrics.includes(name)) refuse(context, ["dimensions", index], `${name} is a metric of this report already.`);
  for (const [index, { field }] of order_by.entries())
    if (!metrics.includes(field) && !dimensions.includes(field))
      refuse(context, ["order_by", index, "field"], `${field} is no column of this report: add it, or leave it out.`);
}

function checkFilters({ metrics, dimensions = [], filters = [] }: ReportInput, context: Context): void {
  for (const [index, row] of filters.entries()) {
    const message = refuseFilter(row, isMetricField(row.field, metrics, dimensions));
    if (message) refuse(context, ["filters", index, "value"], message);
  }
}
