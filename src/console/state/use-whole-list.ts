import { useEffect } from "react";
import type { InputOf, ListPath, RecordOf } from "../../client/wire.ts";
import { type ReadOptions, useList } from "./use-read.ts";

const rowsMax = 1000;

/** All rows of a list, page after page, as far as a page can hold them. */
export function useWholeList<P extends ListPath>(
  path: P,
  input: Omit<InputOf<P>, "after">,
  options: ReadOptions = {},
): RecordOf<P>[] | undefined {
  const { rows, hasMore, isLoadingMore, loadMore } = useList(path, input, options);
  useEffect(() => {
    if (hasMore && !isLoadingMore && (rows?.length ?? 0) < rowsMax) loadMore();
  }, [hasMore, isLoadingMore, rows, loadMore]);
  return rows;
}
