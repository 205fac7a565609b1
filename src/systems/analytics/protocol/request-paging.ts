import type { Paging } from "../../read-pages.ts";
import type { StepRequest } from "../../work.ts";
import { decoded } from "./endpoints.ts";
import { listPaging } from "./list-paging.ts";
import { listOf, memberOf, membersOf, numberOf } from "./vendor-json.ts";

export type RequestPaging = Paging & { warnings: string[] };

/** A collection is the last of an odd number of names; these are single records all the same. */
const singletons = /(?:metadata|Settings|Snapshot|Tag)$/;

/** How the pages of a request are read; null if it has none. */
export function pagingOf(request: StepRequest): RequestPaging | null {
  const path = decoded(request.path);
  if (request.method === "POST" && /:run(?:Access)?Report$/.test(path)) return reportPaging(request);
  const [, ...names] = path.split("/").filter((name) => name !== "");
  const isList = request.method === "GET" && names.length % 2 === 1 && !singletons.test(path) && !path.includes(":");
  return isList ? { ...listPaging(request.path, request.query), warnings: [] } : null;
}

/** Reports page by offset; a limit in the body is the size of a page. */
function reportPaging(request: StepRequest): RequestPaging {
  const body = membersOf(request.body);
  const start = numberOf(body.offset) ?? 0;
  const offsetOf = (cursor: string | null) => (cursor === null ? start : (numberOf(cursor) ?? start));
  return {
    request: (cursor) => (cursor === null ? request : { ...request, body: { ...body, offset: offsetOf(cursor) } }),
    read(answer, cursor) {
      const { rows, rowCount } = membersOf(answer.body);
      const items = listOf(rows);
      const read = offsetOf(cursor) + items.length;
      return { items, next: items.length > 0 && read < (numberOf(rowCount) ?? 0) ? String(read) : null };
    },
    warnings:
      listOf(memberOf(body, "orderBys")).length > 0
        ? []
        : ["Without `orderBys` the system promises no order, and pages of a report can overlap."],
  };
}
