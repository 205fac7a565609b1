import type { Context } from "../instance.ts";
import { type ApiRequest, pageSize, textOf } from "./api-request.ts";
import type { Reply } from "./envelope.ts";
import { readPageToken, writePageToken } from "./page-token.ts";

/**
 * One page of rows in the order of their ids. The token remembers the last id given, so rows that come or go in between
 * move nothing. It is absent on the last page, and `moreResult` is not sent at all, as recorded.
 */
export function pageById<Row extends { id: number }>(
  { settings }: Context,
  request: ApiRequest,
  kind: string,
  rows: Row[],
  record: (row: Row) => unknown,
): Reply {
  const size = pageSize(request, "batchSize", settings.batch_rows, settings.batch_rows);
  const token = textOf(request, "nextPageToken");
  const after = token === null ? Number.NEGATIVE_INFINITY : (readPageToken(token, kind)[0] ?? 0);
  const rest = token === null ? rows : rows.filter(({ id }) => id > after);
  const page = rest.slice(0, size);
  const last = page.at(-1);
  const result = page.map(record);
  return rest.length > size && last ? { result, nextPageToken: writePageToken(kind, last.id) } : { result };
}
