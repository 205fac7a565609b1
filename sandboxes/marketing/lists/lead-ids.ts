import { type ApiRequest, idsOf, isObject, readId } from "../gateway/api-request.ts";
import { Refusal } from "../gateway/refusal.ts";
import type { Context } from "../instance.ts";

/** Lead ids as `?id=1&id=2`, `?id=1,2` or `{"input":[{"id":1}]}`: each form is enough by itself. */
export function readLeadIds({ settings }: Context, request: ApiRequest): number[] {
  const ids = [...idsOf(request, "id"), ...idsInBody(request)];
  if (ids.length === 0) throw new Refusal("1003", "Lead ids not specified");
  if (ids.length > settings.batch_rows) {
    throw new Refusal("1003", `Too many lead ids: ${ids.length}, at most ${settings.batch_rows} are allowed`);
  }
  return ids;
}

function idsInBody(request: ApiRequest): number[] {
  if (!request.hasBody) return [];
  // A write is sent as JSON. Only where a form said which verb is meant were its fields parameters already.
  if (request.isForm && request.method !== "POST") return [];
  const { input } = request.json();
  if (!Array.isArray(input)) return [];
  return input.map((row: unknown) => readId(isObject(row) ? row.id : row));
}
