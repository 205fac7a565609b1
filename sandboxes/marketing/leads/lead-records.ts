import { type ApiRequest, listOf } from "../gateway/api-request.ts";
import { fieldNotFound } from "../gateway/refusal.ts";
import { type Field, fieldsByName } from "./fields.ts";
import { defaultFields, type Lead, leadValue } from "./lead-table.ts";

/** The fields asked for; the id is always among them. */
export function askedFields(request: ApiRequest): Field[] {
  const names = listOf(request, "fields");
  if (names.length === 0) return defaultFields;
  return ["id", ...names.filter((name) => name !== "id")].map(requireField);
}

export function requireField(name: string): Field {
  const field = fieldsByName.get(name);
  if (!field) throw fieldNotFound(name);
  return field;
}

export function leadRecord(lead: Lead, fields: Field[]): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const field of fields) record[field.name] = leadValue(lead, field);
  return record;
}
