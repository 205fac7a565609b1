import type { Target } from "../../paths.ts";
import type { Paging } from "../../read-pages.ts";
import type { Answer } from "../../work.ts";
import { buildRequest } from "./build-request.ts";
import { isRecord, type PagingKind, pagingKindOf } from "./endpoints.ts";
import { rowsOf } from "./rows.ts";

const batchMax = 300;
const assetsMax = 200;

/** The three ways of paging, chosen by path. */
export function pagingOf(target: Target, maxItems: number): Paging {
  const kind = pagingKindOf(target.path);
  return { ...styles[kind](target, maxItems), idOf: idOf[kind] };
}

type Style = (target: Target, maxItems: number) => Paging;

const styles: Record<PagingKind, Style> = {
  /** The list ends without a token; `moreResult` may be missing even if more remains. */
  token: (target, maxItems) => ({
    request: (cursor) => pageAt(target, { batchSize: Math.min(batchMax, maxItems) }, nextPage(cursor)),
    read: ({ body }) => ({ items: rowsOf(body), next: tokenIn(body) }),
  }),
  /** A token always comes; `moreResult` marks the end, and an earlier page may be empty. */
  activities: (target, maxItems) => ({
    request: (cursor) => pageAt(target, { batchSize: Math.min(batchMax, maxItems) }, nextPage(cursor)),
    read: ({ body }) => ({
      items: rowsOf(body),
      next: isRecord(body) && body.moreResult === true ? tokenIn(body) : null,
    }),
  }),
  /** Offsets: the list ends with a page of fewer rows than requested, or none. */
  assets(target, maxItems) {
    // Requesting more than the system's maximum would make its largest page look like the last one.
    const size = Math.min(assetsMax, Number(target.query.maxReturn ?? maxItems) || assetsMax);
    const first = Number(target.query.offset ?? 0);
    const offsetOf = (cursor: string | null) => Number(cursor ?? first);
    return {
      request: (cursor) => pageAt(target, {}, { maxReturn: size, offset: offsetOf(cursor) }),
      read({ body }, cursor) {
        const rows = rowsOf(body);
        const next = rows.length < size || rows.length === 0 ? null : String(offsetOf(cursor) + rows.length);
        return { items: rows.filter(hasType(target)), next };
      },
    };
  },
};

const pageAt = (target: Target, size: Target["query"], position: Target["query"]) =>
  buildRequest({ method: "GET", target: { path: target.path, query: { ...size, ...target.query, ...position } } });

const nextPage = (cursor: string | null): Target["query"] => (cursor === null ? {} : { nextPageToken: cursor });

export const tokenIn = (body: unknown): string | null =>
  isRecord(body) && typeof body.nextPageToken === "string" && body.nextPageToken !== "" ? body.nextPageToken : null;

/** The `type` of programs is not a published parameter: if the system ignores it, the rows are filtered here. */
export function hasType({ path, query }: Target): (row: unknown) => boolean {
  const wanted = path === "/rest/asset/v1/programs.json" ? query.type : undefined;
  if (wanted === undefined) return () => true;
  return (row) => isRecord(row) && String(row.type).toLowerCase() === String(wanted).toLowerCase();
}

/** Filters the rows of a single answer likewise, and reports how many were left out. */
export function chooseRows(target: Target, answer: Answer): { body: unknown; leftOut: number } {
  const rows = rowsOf(answer.body);
  const chosen = rows.filter(hasType(target));
  const leftOut = rows.length - chosen.length;
  return { body: leftOut > 0 && isRecord(answer.body) ? { ...answer.body, result: chosen } : answer.body, leftOut };
}

const textId = (value: unknown): string | null =>
  typeof value === "string" || typeof value === "number" ? String(value) : null;

/** An asset can appear both as approved and as draft; an activity's `id` is not unique, its GUID is. */
const idOf: Record<PagingKind, NonNullable<Paging["idOf"]>> = {
  token: (row) => (isRecord(row) ? textId(row.id) : null),
  activities: (row) => (isRecord(row) ? textId(row.marketoGUID) : null),
  assets: (row) => (isRecord(row) && textId(row.id) !== null ? `${row.id} ${row.status ?? ""}` : null),
};
