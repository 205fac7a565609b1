import {
  keepPreviousData,
  type UseQueryResult,
  useInfiniteQuery,
  useQueries,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import type { SignalboxProblem } from "../../client/problem.ts";
import type { InputOf, ListPath, OutputOf, Path, RecordOf } from "../../client/wire.ts";
import { callFor } from "./call-for.ts";
import { useProjectId } from "./use-project.ts";

/** Keys begin with the project: no page ever shows another project's data from the cache. */
export const keyOf = (projectId: string | null, path: Path, input?: unknown): unknown[] =>
  input === undefined ? [projectId ?? "-", path] : [projectId ?? "-", path, input];

export interface ReadOptions {
  /** False: do not ask yet. */
  when?: boolean;
  /** Ask again after so many milliseconds, as long as the page is visible. */
  every?: number | false;
  /** For reads that belong to the account or the organization. */
  outsideProject?: boolean;
  /** On pages of the organization: the project that is meant. */
  inProject?: string;
  /** Show the last result while the next one loads. */
  keep?: boolean;
  staleTime?: number;
}

export const projectOf = (
  { outsideProject, inProject }: Pick<ReadOptions, "outsideProject" | "inProject">,
  here: string | null,
): string | null => (outsideProject ? null : (inProject ?? here));

/** Reads one operation that changes nothing. */
export function useRead<P extends Path>(
  path: P,
  input: InputOf<P>,
  options: ReadOptions = {},
): UseQueryResult<OutputOf<P>, SignalboxProblem> {
  const here = useProjectId();
  const projectId = projectOf(options, here);
  return useQuery<OutputOf<P>, SignalboxProblem>({
    queryKey: keyOf(projectId, path, input),
    queryFn: ({ signal }) => callFor(projectId)(path, input, { signal }),
    enabled: options.when ?? true,
    refetchInterval: options.every ?? false,
    ...(options.keep ? { placeholderData: keepPreviousData } : {}),
    ...(options.staleTime === undefined ? {} : { staleTime: options.staleTime }),
  });
}

/** The same read for several inputs at once, in their order. */
export function useReads<P extends Path>(
  path: P,
  inputs: readonly InputOf<P>[],
  options: Pick<ReadOptions, "every" | "keep" | "staleTime"> = {},
): UseQueryResult<OutputOf<P>, SignalboxProblem>[] {
  const projectId = useProjectId();
  return useQueries({
    queries: inputs.map((input) => ({
      queryKey: keyOf(projectId, path, input),
      queryFn: ({ signal }: { signal: AbortSignal }) => callFor(projectId)(path, input, { signal }),
      refetchInterval: options.every ?? (false as const),
      ...(options.keep ? { placeholderData: keepPreviousData } : {}),
      ...(options.staleTime === undefined ? {} : { staleTime: options.staleTime }),
    })),
  }) as UseQueryResult<OutputOf<P>, SignalboxProblem>[];
}

/** A list, page by page. `rows` holds what was loaded so far. */
export function useList<P extends ListPath>(path: P, input: Omit<InputOf<P>, "after">, options: ReadOptions = {}) {
  const here = useProjectId();
  const projectId = projectOf(options, here);
  const query = useInfiniteQuery({
    queryKey: keyOf(projectId, path, { ...input, paged: true }),
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const page = pageParam === null ? input : { ...input, after: pageParam };
      return callFor(projectId)(path, page as InputOf<P>, { signal }) as Promise<{
        results: RecordOf<P>[];
        next: string | null;
      }>;
    },
    getNextPageParam: (last) => last.next,
    enabled: options.when ?? true,
    refetchInterval: options.every ?? false,
    ...(options.keep ? { placeholderData: keepPreviousData } : {}),
    ...(options.staleTime === undefined ? {} : { staleTime: options.staleTime }),
  });
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.results), [query.data]);
  return {
    rows,
    problem: query.error as SignalboxProblem | null,
    isLoading: query.isLoading,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: useCallback(() => void query.fetchNextPage(), [query.fetchNextPage]),
    refetch: query.refetch,
  };
}

/** Marks reads as stale, so that pages on screen load them again. */
export function useRefresh(): (...changed: Path[]) => Promise<void> {
  const client = useQueryClient();
  return useCallback(
    async (...changed) => {
      await Promise.all(
        changed.map((path) => client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === path })),
      );
    },
    [client],
  );
}
