import type { MarketingCall } from "./build-request.ts";
import { isRecord } from "./endpoints.ts";
import { keysOf } from "./lead-values.ts";

/** The keys under which a call may make leads: a lead has no mark of the call that made it. */

/** The system takes no more rows at once. */
const rowsMax = 300;

type Row = Record<string, unknown>;

/** Of a call that may only create leads. For calls that may also update, it does not matter who did it. */
export const createdLeads = (call: MarketingCall): string[] =>
  call.target.path === "/rest/v1/leads.json" && call.body?.action === "createOnly" ? writtenLeads(call) : [];

/** Of every call that may make leads, or give them a key. */
export function writtenLeads({ method, target: { path }, body = {} }: MarketingCall): string[] {
  if (method !== "POST" || !Array.isArray(body.input)) return [];
  const rows = body.input.slice(0, rowsMax).filter(isRecord);
  const lookupField = typeof body.lookupField === "string" ? body.lookupField : "email";
  if (path === "/rest/v1/leads.json" || path === "/rest/v1/leads/push.json") return namesOf(rows, lookupField);
  if (path !== "/rest/v1/leads/submitForm.json") return [];
  return namesOf(rows.map(({ leadFormFields }) => leadFormFields).filter(isRecord), lookupField);
}

/** Another call may look for the same lead by its address. */
export function namesOf(rows: readonly Row[], lookupField: string): string[] {
  const fields = [...new Set([lookupField, "email"])];
  const names = rows.flatMap((row) => fields.map((field) => [field, keysOf(row[field]).at(-1) ?? ""] as const));
  return [...new Set(names.filter(([, key]) => key !== "").map(([field, key]) => `lead ${field} ${key}`))];
}
