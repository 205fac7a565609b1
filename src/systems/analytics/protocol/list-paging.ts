import type { Paging } from "../../read-pages.ts";
import type { Query } from "../../work.ts";
import { apiOf } from "./endpoints.ts";
import { membersOf, textOf } from "./vendor-json.ts";

const pageSize = 200;

/** Lists name their items like the resource, and the next page `nextPageToken`; an empty list has no members at all. */
export const listPaging = (path: string, query: Query = {}): Paging => ({
  request: (cursor) => ({
    method: "GET",
    api: apiOf(path),
    path,
    query: { pageSize, ...query, ...(cursor === null ? {} : { pageToken: cursor }) },
    effect: "read",
    idempotent: true,
  }),
  read: ({ body }) => ({
    items: Object.values(membersOf(body)).find((member) => Array.isArray(member)) ?? [],
    next: textOf(membersOf(body).nextPageToken) || null,
  }),
  idOf: (item) => textOf(membersOf(item).name) || null,
});
