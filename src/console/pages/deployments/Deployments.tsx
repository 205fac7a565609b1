import { Button, Paper, Text } from "@mantine/core";
import { useCallback, useMemo, useState } from "react";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useChangeSearch, useSearchState } from "../../state/use-search-state.ts";
import { Empty } from "../../ui/Empty.tsx";
import { RowList } from "../../ui/RowList.tsx";
import { RowSkeletons } from "../../ui/VirtualRows.tsx";
import { CancelDeployment } from "./CancelDeployment.tsx";
import { CreateDeployment } from "./CreateDeployment.tsx";
import { deploymentColumns } from "./columns.tsx";
import { DeploymentDrawer } from "./DeploymentDrawer.tsx";
import { DeploymentFilters } from "./DeploymentFilters.tsx";
import type { Deployment } from "./deployment.ts";
import { useDeploymentFilter } from "./filter.ts";
import { Redeploy } from "./Redeploy.tsx";
import { Timeline } from "./Timeline.tsx";
import { useDeployments } from "./use-deployments.ts";

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
  const [open, setOpen] = useSearchState("deployment");
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
    () =>
      rows === undefined ? null : (
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
          <RowSkeletons label="Deployments" count={8} />
        )
      ) : rows.length === 0 ? (
        <None isFiltered={filter.isFiltered || filter.isTimeline} onCreate={() => onNew(true)} />
      ) : filter.isTimeline ? (
        <Paper withBorder p={{ base: "sm", sm: "lg" }}>
          <Timeline rows={rows} since={filter.since} onOpen={show} />
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
