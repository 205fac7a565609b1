import { useCallback, useEffect, useMemo, useState } from "react";
import { useStepRead } from "../../state/use-step-read.ts";
import { type Deployment, isUnderWay, readDeployment } from "./read-deployment.ts";
import type { DeploymentFilter } from "./use-deployment-filter.ts";

const pageRows = 50;
const timelineRows = 300;
/** While something builds the list follows it; otherwise it looks now and then for deployments of others. */
const busyMilliseconds = 3000;
const idleMilliseconds = 20_000;

/** Deployments that fit the filter, newest first. */
export function useDeployments(connectionId: string, { query, isTimeline }: DeploymentFilter) {
  const [pages, setPages] = useState(1);
  const [every, setEvery] = useState(idleMilliseconds);
  const input = {
    method: "GET",
    path: "/v6/deployments",
    query,
    all_pages: true,
    max_items: isTimeline ? timelineRows : pages * pageRows,
  };
  const read = useStepRead<{ items: unknown[]; next: string | null }>("deployment_api_call", connectionId, input, {
    every,
    keep: true,
  });
  const { output } = read;
  const rows = useMemo(() => output?.items.map(readDeployment), [output]);
  const isBusy = rows?.some(isUnderWay) ?? false;
  useEffect(() => setEvery(isBusy ? busyMilliseconds : idleMilliseconds), [isBusy]);
  return {
    rows,
    isBusy,
    problem: read.problem,
    refetch: read.refetch,
    hasMore: !isTimeline && output?.next != null,
    isLoadingMore: read.isFetching && rows !== undefined && rows.length < (pages - 1) * pageRows + 1,
    loadMore: useCallback(() => setPages((before) => before + 1), []),
    isCut: isTimeline && output?.next != null,
  };
}

const lookMilliseconds = 2500;

/** One deployment with its build log. Both are read again while it is under way. */
export function useDeployment(connectionId: string, id: string) {
  const [every, setEvery] = useState<number | false>(lookMilliseconds);
  const path = `/v13/deployments/${encodeURIComponent(id)}`;
  const one = useStepRead<{ body: unknown }>("deployment_api_call", connectionId, { method: "GET", path }, { every });
  const deployment: Deployment | undefined = useMemo(
    () => (one.output ? readDeployment(one.output.body) : undefined),
    [one.output],
  );
  const log = useStepRead<{ body: unknown }>(
    "deployment_api_call",
    connectionId,
    {
      method: "GET",
      path: `/v3/deployments/${encodeURIComponent(id)}/events`,
      query: { builds: 1, direction: "forward", follow: 0, limit: -1 },
    },
    { every, when: deployment !== undefined },
  );
  const isOver = deployment !== undefined && !isUnderWay(deployment);
  const { refetch } = log;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the last lines come with the end, once.
  useEffect(() => {
    setEvery(isOver || one.problem !== null ? false : lookMilliseconds);
    if (isOver) refetch();
  }, [isOver, one.problem]);
  return { deployment, problem: one.problem, refetch: one.refetch, log };
}
