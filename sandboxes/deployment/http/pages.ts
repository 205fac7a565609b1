import type { Collection } from "../collection.ts";
import { readInteger, readLimit } from "./read-query.ts";

export interface Page<T> {
  items: T[];
  pagination: { count: number; next: number | null; prev: number | null };
}

interface PageWish {
  limit: number;
  since: number | null;
  until: number | null;
}

export const readPageWish = (query: URLSearchParams): PageWish => ({
  limit: readLimit(query),
  since: readInteger(query, "since"),
  until: readInteger(query, "until"),
});

/**
 * Newest first, by creation time. `next` is the time of the last record shown and is sent back as `until`, which
 * excludes it; times are unique in a collection, so nothing repeats or vanishes at a page's edge.
 */
export function pageOf<T extends { id: string; createdAt: number }>(
  records: Collection<T>,
  { limit, since, until }: PageWish,
  isWanted: (record: T) => boolean,
): Page<T> {
  const items: T[] = [];
  let hasMore = false;
  for (const record of records.newestFirst(until)) {
    if (since !== null && record.createdAt <= since) break;
    if (!isWanted(record)) continue;
    if (items.length === limit) {
      hasMore = true;
      break;
    }
    items.push(record);
  }
  return {
    items,
    pagination: {
      count: items.length,
      next: hasMore ? (items.at(-1)?.createdAt ?? null) : null,
      prev: items[0]?.createdAt ?? null,
    },
  };
}
