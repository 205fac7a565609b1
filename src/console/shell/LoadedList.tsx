import type { SignalboxProblem } from "../../client/problem.ts";
import { RowList, type RowListProps } from "../ui/rows/RowList.tsx";
import { ProblemNotice } from "./ProblemNotice.tsx";

/** What `useList` returns, as far as a table needs it. */
export interface Loaded<R> {
  rows: R[] | undefined;
  problem: SignalboxProblem | null;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
  refetch: () => unknown;
}

type LoadedListProps<R> = Omit<RowListProps<R>, "rows" | "hasMore" | "isLoadingMore" | "onMore"> & { list: Loaded<R> };

/** A list of the server as a table. When it cannot be read, rows that were loaded before stay below the problem. */
export const LoadedList = <R,>({ list, ...props }: LoadedListProps<R>) => (
  <>
    <ProblemNotice problem={list.problem} onRetry={() => void list.refetch()} />
    {list.problem && !list.rows ? null : (
      <RowList
        {...props}
        rows={list.rows}
        hasMore={list.hasMore}
        isLoadingMore={list.isLoadingMore}
        onMore={list.loadMore}
      />
    )}
  </>
);
