import type { SandboxCall } from "../../server/sandbox.ts";
import { readMultipart, type UploadedFile } from "./multipart.ts";
import { invalidJson, missingParameter, Refusal, wrongType } from "./refusal.ts";
import { readTime } from "./times.ts";

/** A call to the REST API after its oddities: the verb that is meant, and parameters from wherever they were put. */
export interface ApiRequest {
  method: string;
  /** Values of the `{…}` in the route's path. */
  path: Record<string, string>;
  parameters: URLSearchParams;
  hasBody: boolean;
  /** The body, if any, is a form, and its fields are among the parameters. */
  isForm: boolean;
  /** Files of a multipart form, by the name of their field. */
  files: ReadonlyMap<string, UploadedFile>;
  /** The JSON body, which must be an object sent as JSON. */
  json(): Record<string, unknown>;
}

const noFiles: ReadonlyMap<string, UploadedFile> = new Map();
const formType = "application/x-www-form-urlencoded";

/** `_method` in the query, or in a form body, says what a POST means; a form's fields then are parameters like any other. */
export function readRequest(call: SandboxCall): ApiRequest {
  const type = (call.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  let parameters = call.query;
  let method = call.method;
  const hasBody = call.body.length > 0;
  const override = method === "POST" ? call.query.get("_method") : null;
  // A body of no stated type counts as a form: the vendor's old client forgets the type when it replays a call.
  const isUrlForm =
    type === formType || type === "" || (override?.toUpperCase() === "GET" && type !== "application/json");
  const parts = type === "multipart/form-data" ? readMultipart(call.body, call.headers["content-type"] ?? "") : null;
  const isForm = isUrlForm || parts !== null;
  if (parts) {
    parameters = new URLSearchParams(call.query);
    for (const [name, value] of parts.fields) parameters.append(name, value);
  } else if (hasBody && isForm) {
    parameters = new URLSearchParams(call.query);
    for (const [name, value] of new URLSearchParams(call.body.toString())) parameters.append(name, value);
  }
  if (method === "POST") method = (parameters.get("_method") || method).toUpperCase();
  const files = parts?.files ?? noFiles;
  return { method, path: {}, parameters, hasBody, isForm, files, json: () => readJson(call.body, type) };
}

function readJson(body: Buffer, type: string): Record<string, unknown> {
  if (type !== "application/json") throw new Refusal("612", "Invalid Content Type");
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    throw invalidJson();
  }
  if (!isObject(value)) throw invalidJson();
  return value;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An empty parameter is an absent one. */
export function textOf(request: ApiRequest, name: string): string | null {
  return request.parameters.get(name)?.trim() || null;
}

export function requireText(request: ApiRequest, name: string): string {
  const value = textOf(request, name);
  if (value === null) throw missingParameter(name);
  return value;
}

/** Comma separated, repeated, or both. */
export function listOf(request: ApiRequest, name: string): string[] {
  const values = request.parameters.getAll(name);
  if (values.length === 0) return values;
  return values
    .join(",")
    .split(",")
    .map((value) => value.trim())
    .filter((value) => value !== "");
}

export const idsOf = (request: ApiRequest, name: string): number[] => listOf(request, name).map(readId);

/** Ids arrive as numbers and as digits in text; anything else is of the wrong type. */
export function readId(value: unknown): number {
  const id = typeof value === "string" && value !== "" ? Number(value) : value;
  if (typeof id !== "number" || !Number.isSafeInteger(id)) throw wrongType(String(value), "Integer");
  return id;
}

export const pathId = (request: ApiRequest, name = "id"): number => readId(request.path[name]);

/** A page size: a whole number from 1, cut down to what the API gives at most. */
export function pageSize(request: ApiRequest, name: string, usual: number, most: number): number {
  const text = textOf(request, name);
  if (text === null) return Math.min(usual, most);
  const size = readId(text);
  if (size < 1) throw wrongType(text, "Positive Integer");
  return Math.min(size, most);
}

export function timeOf(request: ApiRequest, name: string): number | null {
  const text = textOf(request, name);
  if (text === null) return null;
  const at = readTime(text);
  if (at === null) throw wrongType(text, "Datetime");
  return at;
}
