import type { Target } from "../../paths.ts";
import type { Paging } from "../../read-pages.ts";
import type { Answer } from "../../work.ts";
import { effectOf } from "./endpoints.ts";
import { isRecord, textIn } from "./platform-records.ts";

const pageMax = 100;

/** Any list of the platform: the name of its rows varies, and its cursor goes into `until` or `from`. */
export function pagingOf({ path, query }: Target, headers: Record<string, string>, maxItems: number): Paging {
  const base = hasPages(path) ? { limit: Math.min(pageMax, maxItems), ...query } : query;
  const common = { method: "GET", api: "main", path, headers, ...effectOf("GET", path) } as const;
  return {
    request: (cursor) => ({ ...common, query: cursor === null ? base : { ...base, ...parameterOf(cursor) } }),
    read: (answer) => ({ items: itemsIn(answer, path), next: nextIn(answer.body, path) }),
    idOf: (item) => textIn(item, "uid") ?? textIn(item, "id") ?? textIn(item, "name"),
  };
}

/** The events of a build come in one response: a limit would cut off the rest silently. */
const hasPages = (path: string): boolean => !path.endsWith("/events");

/** The cursor contains its parameter: `until=1730000000000` or `from=…`. */
function parameterOf(cursor: string): Target["query"] {
  const mark = cursor.indexOf("=");
  return { [cursor.slice(0, mark)]: cursor.slice(mark + 1) };
}

/** Projects from version 10 on return a token for `from`; all others return a time for `until`. */
function nextIn(body: unknown, path: string): string | null {
  const pagination = isRecord(body) ? body.pagination : null;
  if (!isRecord(pagination) || pagination.hasNext === false) return null;
  const { next } = pagination;
  if (typeof next !== "string" && typeof next !== "number") return null;
  const isToken = /^\/v[1-9]\d+\/projects$/.test(path) || !/^\d+$/.test(String(next));
  return `${isToken ? "from" : "until"}=${next}`;
}

/** The rows: the whole body, the member named like the path's end, or its only list. A single record is its own row. */
function itemsIn({ body }: Answer, path: string): readonly unknown[] {
  if (Array.isArray(body)) return body;
  if (!isRecord(body)) return [];
  const lists = Object.entries(body).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
  const name = path.split("/").at(-1) ?? "";
  const found =
    lists.find(([key]) => key === name || key === `${name}s`) ?? (lists.length === 1 ? lists[0] : undefined);
  return found?.[1] ?? [body];
}
