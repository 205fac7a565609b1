import { type ApiRequest, isObject, pageSize, readId, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { blank, invalidJson, Refusal, wrongType } from "../gateway/refusal.ts";
import { readTime } from "../gateway/times.ts";
import type { Context } from "../instance.ts";

const pageRowsUsually = 20;

/** Assets are paged by `offset` and `maxReturn`; no member of the answer says whether there is more. */
export function pageByOffset<Row>(
  { settings }: Context,
  request: ApiRequest,
  rows: Row[],
  record: (row: Row) => unknown,
): Reply {
  const size = pageSize(request, "maxReturn", pageRowsUsually, settings.asset_page_rows);
  const offset = readId(textOf(request, "offset") ?? 0);
  if (offset < 0) throw wrongType(String(offset), "Positive Integer");
  return { result: rows.slice(offset, offset + size).map(record) };
}

/** Asset writes are forms. A body of another type is refused; no body at all is fine where the query says it all. */
export function requireForm(request: ApiRequest): void {
  if (request.hasBody && !request.isForm) throw new Refusal("612", "Invalid Content Type");
}

export function requireField(request: ApiRequest, name: string): string {
  const value = textOf(request, name);
  if (value === null) throw blank(name);
  return value;
}

/** An object inside a form or a query is JSON text: `folder={"id":12,"type":"Folder"}`. */
export function objectOf(request: ApiRequest, name: string): Record<string, unknown> | null {
  const text = textOf(request, name);
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Refused below, like JSON of another kind.
  }
  throw invalidJson();
}

export interface FolderChoice {
  id: number;
  type: "Folder" | "Program";
}

export function folderOf(request: ApiRequest): FolderChoice | null {
  // A bare number is a folder's id, as old callers send it.
  const text = textOf(request, "folder");
  if (text !== null && /^\d+$/.test(text)) return { id: Number(text), type: "Folder" };
  const value = objectOf(request, "folder");
  if (value === null) return null;
  if (value.type !== "Folder" && value.type !== "Program") throw new Refusal("711", "Invalid folder type");
  return { id: readId(value.id), type: value.type };
}

interface Dated {
  updatedAt: number;
}

/** `earliestUpdatedAt` and `latestUpdatedAt`, both inclusive. */
export function updatedWithin(request: ApiRequest): (row: Dated) => boolean {
  const earliest = assetTimeOf(request, "earliestUpdatedAt") ?? Number.NEGATIVE_INFINITY;
  const latest = assetTimeOf(request, "latestUpdatedAt") ?? Number.POSITIVE_INFINITY;
  return ({ updatedAt }) => updatedAt >= earliest && updatedAt <= latest;
}

function assetTimeOf(request: ApiRequest, name: string): number | null {
  const text = textOf(request, name);
  if (text === null) return null;
  const at = readTime(text);
  if (at === null) throw new Refusal("704", "Invalid date format");
  return at;
}

export const notFound = (kind: string) => new Refusal("702", `${kind} not found`);

export const appUrl = (mark: string) => `https://app-ab00.marketo.com/#${mark}`;
