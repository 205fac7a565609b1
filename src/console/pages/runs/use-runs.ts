import { useEffect, useMemo } from "react";
import type { InputOf } from "../../../client/wire.ts";
import { useEvery } from "../../state/use-live.ts";
import { useList, useRead } from "../../state/use-read.ts";
import type { RunSummary } from "./describe-status.ts";

const pageRows = 100;

/**
 * Runs that fit the filter, newest first. The first page is read again after each change, and replaces its part of the list;
 * pages that were loaded while scrolling stay, so a list of ten thousand costs one request for a change.
 */
export function useRuns(filter: Omit<InputOf<"/latest/runs/list">, "after" | "limit">) {
  const input = { ...filter, limit: pageRows };
  const isSearch = filter.text !== undefined;
  const list = useList("/latest/runs/list", input, { staleTime: Number.POSITIVE_INFINITY });
  const head = useRead("/latest/runs/list", input, { when: !isSearch, every: useEvery(2000) });
  const rows = useMemo(() => merge(head.data, list.rows), [head.data, list.rows]);
  const hasGap = leavesGap(head.data, list.rows);
  const { refetch } = list;
  useEffect(() => {
    if (hasGap) void refetch();
  }, [hasGap, refetch]);
  return {
    rows,
    problem: list.problem ?? head.error,
    hasMore: list.hasMore,
    isLoadingMore: list.isLoadingMore,
    loadMore: list.loadMore,
    refetch,
  };
}

type Page = { results: RunSummary[]; next: string | null };

/** The newest page says all about the time it covers, back to `next`: what left the filter is gone, what is new is there. */
export function merge(head: Page | undefined, rows: RunSummary[] | undefined): RunSummary[] | undefined {
  if (!head) return rows;
  const { results, next } = head;
  return next === null ? results : [...results, ...(rows ?? []).filter(({ run_id }) => run_id < next)];
}

/** More runs began between two reads than a page holds: the pages between are missing. */
export function leavesGap(head: Page | undefined, rows: RunSummary[] | undefined): boolean {
  const [oldest, newest] = [head?.next, rows?.[0]?.run_id];
  return oldest != null && newest !== undefined && newest < oldest;
}
