import { duration } from "../../ui/times/duration.ts";

/** Figures and days as people read them. */

const isShare = (metric: string): boolean => /Rate$|^(?:dau|wau)Per/.test(metric);
const isSeconds = (metric: string): boolean => /Duration$/.test(metric);
const isMoney = (metric: string): boolean => /Revenue|Amount|AdCost/.test(metric);

export function figureOf(metric: string, value: unknown, currency?: string): string {
  if (typeof value !== "number") return value === null || value === undefined ? "–" : String(value);
  if (isShare(metric)) return value.toLocaleString(undefined, { style: "percent", maximumFractionDigits: 1 });
  if (isSeconds(metric)) return duration(value * 1000);
  if (isMoney(metric) && currency) return value.toLocaleString(undefined, { style: "currency", currency });
  return value.toLocaleString(undefined, { maximumFractionDigits: 2 });
}

const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
const short = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone: "UTC" });

export function dimensionText(dimension: string, value: unknown, isShort = false): string {
  if (value === null || value === undefined || value === "") return "(empty)";
  const day = Date.parse(dimensionInFile(dimension, value));
  return dimension !== "date" || Number.isNaN(day) ? String(value) : (isShort ? short : whole).format(day);
}

/** For a file. The system writes a day as 20261103; programs read 2026-11-03. */
export function dimensionInFile(dimension: string, value: unknown): string {
  const parts = dimension === "date" ? /^(\d{4})(\d{2})(\d{2})$/.exec(String(value)) : null;
  return parts ? `${parts[1]}-${parts[2]}-${parts[3]}` : String(value ?? "");
}
