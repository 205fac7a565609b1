import { Button, Paper, Skeleton, Text } from "@mantine/core";
import { lazy, Suspense, useCallback, useMemo, useState } from "react";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useChangeSearch, useOpenState } from "../../state/use-search-state.ts";
import { Empty } from "../../ui/Empty.tsx";
import { RowList } from "../../ui/rows/RowList.tsx";
import { DeploymentFilters } from "./DeploymentFilters.tsx";
import { deploymentColumns } from "./deployment-columns.tsx";
import type { Deployment } from "./read-deployment.ts";
import { useDeploymentFilter } from "./use-deployment-filter.ts";
import { useDeployments } from "./use-deployments.ts";

/** What opens over the list is loaded when it is first opened. */
const CancelDeployment = lazy(async () => ({ default: (await import("./CancelDeployment.tsx")).CancelDeployment }));
const CreateDeployment = lazy(async () => ({ default: (await import("./CreateDeployment.tsx")).CreateDeployment }));
const DeploymentDrawer = lazy(async () => ({ default: (await import("./DeploymentDrawer.tsx")).DeploymentDrawer }));
const Redeploy = lazy(async () => ({ default: (await import("./Redeploy.tsx")).Redeploy }));
const DeploymentTimeline = lazy(async () => ({
  default: (await import("./DeploymentTimeline.tsx")).DeploymentTimeline,
}));

interface DeploymentsProps {
  connectionId: string;
  isNew: boolean;
  onNew: (isOpen: boolean) => void;
}

type Asked = { what: "cancel" | "redeploy"; deployment: Deployment };

/** The deployments of one account, as a list or on a timeline, and what can be done with them. */
export function Deployments({ connectionId, isNew, onNew }: DeploymentsProps) {
  const filter = useDeploymentFilter();
  const list = useDeployments(connectionId, filter);
  const [open, setOpen] = useOpenState("deployment");
  const change = useChangeSearch();
  const [asked, setAsked] = useState<Asked | null>(null);
  const actions = useMemo(
    () => ({
      onCancel: (deployment: Deployment) => setAsked({ what: "cancel", deployment }),
      onRedeploy: (deployment: Deployment) => setAsked({ what: "redeploy", deployment }),
    }),
    [],
  );
  const show = useCallback(({ id }: Deployment) => setOpen(id), [setOpen]);
  const { rows, hasMore, isLoadingMore, loadMore } = list;
  // Opening one, or asking about one, does not draw the list again.
  const table = useMemo(
    () => (
      <RowList
        label="Deployments"
        rows={rows}
        keyOf={({ id }) => id}
        columns={deploymentColumns(actions)}
        onOpen={show}
        empty={null}
        hasMore={hasMore}
        isLoadingMore={isLoadingMore}
        onMore={loadMore}
      />
    ),
    [rows, actions, show, hasMore, isLoadingMore, loadMore],
  );
  return (
    <>
      <DeploymentFilters filter={filter} connectionId={connectionId} />
      <ProblemNotice problem={list.problem} onRetry={list.refetch} />
      <Text className="unseen" role="status">
        {list.isBusy ? "A deployment is under way. The list follows it." : ""}
      </Text>
      {rows === undefined ? (
        list.problem ? null : (
          table
        )
      ) : rows.length === 0 ? (
        <None isFiltered={filter.isFiltered || filter.isTimeline} onCreate={() => onNew(true)} />
      ) : filter.isTimeline ? (
        <Paper withBorder p={{ base: "sm", sm: "lg" }}>
          <Suspense fallback={<Skeleton height={400} aria-label="Loading the timeline" />}>
            <DeploymentTimeline rows={rows} since={filter.since} onOpen={show} />
          </Suspense>
          {list.isCut ? (
            <Text size="sm" c="dimmed" mt="sm">
              The newest {rows.length} are shown. Narrow the filters or the time to see older ones.
            </Text>
          ) : null}
        </Paper>
      ) : (
        <Paper withBorder className="deployments">
          {table}
        </Paper>
      )}
      <Suspense>
        {open === "" ? null : (
          <DeploymentDrawer connectionId={connectionId} id={open} onClose={() => setOpen("")} {...actions} />
        )}
        {isNew ? (
          <CreateDeployment
            connectionId={connectionId}
            project={filter.project}
            onClose={() => onNew(false)}
            onDone={(id) => change({ new: "", deployment: id })}
          />
        ) : null}
        {asked?.what === "cancel" ? (
          <CancelDeployment connectionId={connectionId} deployment={asked.deployment} onClose={() => setAsked(null)} />
        ) : null}
        {asked?.what === "redeploy" ? (
          <Redeploy
            connectionId={connectionId}
            deployment={asked.deployment}
            onClose={() => setAsked(null)}
            onDone={(id) => {
              setAsked(null);
              setOpen(id);
            }}
          />
        ) : null}
      </Suspense>
    </>
  );
}

function None({ isFiltered, onCreate }: { isFiltered: boolean; onCreate: () => void }) {
  return isFiltered ? (
    <Empty title="No deployment fits">Choose other filters, or a longer time.</Empty>
  ) : (
    <Empty title="Nothing was deployed yet" action={<Button onClick={onCreate}>Create a deployment</Button>}>
      Each deployment of this account is listed here, with its build log.
    </Empty>
  );
}
