import { type ApiRequest, isObject, pageSize, readId, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { blank, invalidJson, Refusal, wrongType } from "../gateway/refusal.ts";
import { readTime } from "../gateway/times.ts";
import type { Context, Instance } from "../instance.ts";

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
  const value = looseValueOf(request, name);
  if (value === null || isObject(value)) return value;
  throw invalidJson();
}

/**
 * JSON text, or what clients in other languages make of it and the vendor reads all the same: single quotes, and words
 * without any (`{'id': 12, 'type': Folder}`).
 */
export function looseValueOf(request: ApiRequest, name: string): unknown {
  const text = textOf(request, name);
  if (text === null) return null;
  for (const written of [text, strictly(text)]) {
    try {
      return JSON.parse(written) as unknown;
    } catch {
      // The other way of writing is tried next.
    }
  }
  throw invalidJson();
}

const strictly = (text: string): string =>
  text.replaceAll("'", '"').replace(/([:[,]\s*)(?!true|false|null)([A-Za-z][\w ]*?)(?=\s*[,}\]])/g, '$1"$2"');

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

/** Where a new asset is to stand: a folder, or a program and the folder that the program is in. */
export function requireParent(instance: Instance, request: ApiRequest): Parented {
  const folder = folderOf(request);
  if (folder === null) throw blank("folder");
  const program = folder.type === "Program" ? instance.programs.get(folder.id) : undefined;
  if (program) return { folderId: program.folderId, programId: program.id };
  if (folder.type === "Program" || !instance.folders.has(folder.id))
    throw new Refusal("710", "Parent folder not found");
  return { folderId: folder.id, programId: null };
}

/** Whether a record stands in the folder of the request, if it names one. */
export function standsIn(request: ApiRequest): (row: Parented) => boolean {
  const folder = folderOf(request);
  if (folder === null) return () => true;
  return ({ folderId, programId }) =>
    folder.type === "Program" ? programId === folder.id : programId === null && folderId === folder.id;
}

/** The assets that the request asks for, by their folder and by when they were updated. */
export function askedFor<Row extends Dated & Parented>(request: ApiRequest, rows: Iterable<Row>): Row[] {
  const [isThere, isInTime] = [standsIn(request), updatedWithin(request)];
  return [...rows].filter((row) => isThere(row) && isInTime(row));
}

interface Dated {
  updatedAt: number;
}

interface Parented {
  folderId: number;
  programId: number | null;
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
