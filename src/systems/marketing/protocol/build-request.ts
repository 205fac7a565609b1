import type { Target } from "../../paths.ts";
import type { Query, QueryValue, StepRequest } from "../../work.ts";
import { effectOf, isRecord } from "./endpoints.ts";

export interface MarketingCall {
  method: "GET" | "POST" | "DELETE";
  target: Target;
  body?: Record<string, unknown> | undefined;
}

// The system refuses addresses over 8 KB; the host and encoding take the rest.
const addressMax = 7_500;

/** Builds the request in the form that the system expects, which may differ from the call. */
export function buildRequest({ method, target, body }: MarketingCall): StepRequest {
  const request = { api: "main", ...target, ...effectOf(method, target.path, body) };
  if (method === "GET") return isTooLong(target) ? asForm(request) : { ...request, method };
  if (method === "DELETE") return withoutBody({ ...request, method, ...(body && { body }) });
  if (body === undefined) return { ...request, method };
  const isAsset = target.path.startsWith("/rest/asset/");
  return isAsset ? { ...request, method, body: formFields(body), form: true } : { ...request, method, body };
}

const isTooLong = ({ path, query }: Target): boolean => path.length + queryLength(query) > addressMax;

function queryLength(query: Query): number {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  return new URLSearchParams(pairs).toString().length;
}

/** Long queries are sent in the body of a POST that declares itself a GET: it still only reads. */
const asForm = ({ query, ...request }: Omit<StepRequest, "method">): StepRequest => ({
  ...request,
  method: "POST",
  query: { _method: "GET" },
  body: formFields(query ?? {}),
  form: true,
});

/** The Asset API takes forms whose objects are JSON text, and comma-separated lists. */
const formFields = (fields: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fieldText(value)]));

function fieldText(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return value.join(",");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
}

/** Some proxies drop the body of a DELETE, so ids go into the query, which the system reads too. */
function withoutBody(request: StepRequest): StepRequest {
  const { body, ...rest } = request;
  const ids = /\/lists?\/[^/]+\/leads\.json$/.test(request.path) ? idsIn(body) : null;
  return ids === null ? request : { ...rest, query: { ...request.query, id: ids } };
}

function idsIn(body: unknown): QueryValue | null {
  const rows = isRecord(body) && Object.keys(body).length === 1 ? body.input : null;
  if (!Array.isArray(rows) || rows.length === 0) return null;
  const ids = rows.map((row) => (isRecord(row) && Object.keys(row).length === 1 ? row.id : null));
  return ids.every((id) => typeof id === "number" || typeof id === "string") ? (ids as (string | number)[]) : null;
}
