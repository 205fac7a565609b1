import { canonicalJson } from "../kernel/strict-json.ts";

/** What a record shows of a write whose answer was lost; each system knows where to look. */

/** Another call may have deleted it as well: the outcome is the same. */
export const goneWarnings = ["The record is gone: this call has probably deleted it."];

/** Whether a record has every value that a change has sent. A record leaves out members that are empty. */
export const hasValues = (
  record: Readonly<Record<string, unknown>>,
  sent: Readonly<Record<string, unknown>>,
): boolean =>
  Object.entries(sent).every(([name, value]) => canonicalJson(record[name] ?? null) === canonicalJson(value ?? null));
