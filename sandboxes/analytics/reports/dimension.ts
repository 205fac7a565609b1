import type { ColumnName } from "./columns.ts";

/** What a label may depend on beside the number in the column. */
export interface LabelContext {
  /** First day of the range asked for: "nth" counts from it. */
  startDay: number;
  nowDay: number;
  nowSecond: number;
  streamId: string;
  streamName: string;
  hostName: string;
  keyEventNames: ReadonlySet<string>;
  /** Of the cohort at hand, in a cohort report. */
  cohort: { name: string; startDay: number } | null;
}

export interface Dimension {
  apiName: string;
  uiName: string;
  category: string;
  description: string;
  deprecatedApiNames?: string[];
  isCustom?: true;
  column: ColumnName;
  label: (code: number, context: LabelContext) => string;
  /** "day" where the day alone decides, "minute" where the time of day counts too. */
  time?: "day" | "minute";
  /** Item scope, cohort reports only, or withheld below a number of users. */
  scope?: "item" | "cohort" | "thresholded";
  /** Rare values are folded into "(other)" in the table behind it. */
  isFolded?: true;
}

export const notSet = "(not set)";
export const pad = (value: number, length: number): string => String(value).padStart(length, "0");
