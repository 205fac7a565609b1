import type { Answer } from "../../work.ts";
import { isRecord } from "./endpoints.ts";

const shownMax = 100;

/** "skipped rows are reported by index": they stand in the order of the input, and often carry no id. */
export function warningsOf({ body }: Answer): string[] {
  const skipped = rowsOf(body).flatMap((row, index) =>
    isRecord(row) && row.status === "skipped" ? [`Row ${index} was skipped: ${reasonsOf(row)}.`] : [],
  );
  const more = skipped.length - shownMax;
  return [...skipped.slice(0, shownMax), ...(more > 0 ? [`${more} more rows were skipped.`] : []), ...saidIn(body)];
}

/** "absent result is empty": an empty page of activities or assets leaves it out. */
export const rowsOf = (body: unknown): unknown[] => (isRecord(body) && Array.isArray(body.result) ? body.result : []);

/** "1005: exists, with createOnly." */
export const saysLeadExists = (body: unknown): boolean =>
  rowsOf(body).some(
    (row) =>
      isRecord(row) &&
      row.status === "skipped" &&
      Array.isArray(row.reasons) &&
      row.reasons.slice(0, shownMax).some((reason) => isRecord(reason) && String(reason.code) === "1005"),
  );

function reasonsOf(row: Record<string, unknown>): string {
  const reasons = Array.isArray(row.reasons) ? row.reasons.slice(0, shownMax).filter(isRecord) : [];
  return reasons.map(({ code, message }) => `${code} ${message}`).join("; ") || "no reason given";
}

function saidIn(body: unknown): string[] {
  const said = isRecord(body) && Array.isArray(body.warnings) ? body.warnings : [];
  return said
    .slice(0, shownMax)
    .map((one) => (isRecord(one) ? `${one.code ?? ""} ${one.message ?? ""}`.trim() : String(one)));
}
