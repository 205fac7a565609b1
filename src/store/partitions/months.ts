import type { Db } from "../db.ts";

/** A table that keeps growing, and the column that says to which month a row belongs. */
export interface GrowingTable {
  name: string;
  /** A text that grows with time: an id, or a time itself. */
  column: string;
  /** Columns of an index on every partition, to see quickly whether it has rows. */
  order: string;
  /** The smallest value of the column at this time. */
  boundAt(time: Date): string;
  /** The time of such a value. */
  timeOf(bound: string): Date;
  /**
   * The rule that replaces a unique key without the column: PostgreSQL keeps such a key in each partition alone. A script
   * that may run again; it names the table by its name.
   */
  ruleForAll?: string;
  /**
   * A rule that stores something for each row is in force before the table is partitioned. This stores it for a batch of the
   * rows that were there before, after the row `after`, and returns the last of them; null after the last batch.
   */
  fillRule?(db: Db, after: string): Promise<string | null>;
}

/** The beginning of the month, in UTC, that is `months` after the one of this time. */
export const monthAfter = (time: Date, months: number): Date =>
  new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months, 1));

/** 2026-11, of any time in it. */
export const monthName = (time: Date): string => time.toISOString().slice(0, 7);

/** Rows from `from` to before `to`; null: without a bound. */
export interface Range {
  from: Date | null;
  to: Date | null;
}

/** runs_2026_12, runs_2026_12_to_2027_02, runs_before_2026_12, runs_since_2027_02. */
export function partitionName(table: GrowingTable, { from, to }: Range): string {
  const month = (time: Date): string => monthName(time).replace("-", "_");
  if (from === null) return `${table.name}_before_${to ? month(to) : "all"}`;
  if (to === null) return `${table.name}_since_${month(from)}`;
  const last = monthAfter(to, -1);
  const one = `${table.name}_${month(from)}`;
  return last.getTime() <= from.getTime() ? one : `${one}_to_${month(last)}`;
}
