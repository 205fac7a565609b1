import { Button, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { SearchOlder } from "../../shell/SearchOlder.tsx";
import { useProject } from "../../state/use-project.ts";
import { Empty } from "../../ui/Empty.tsx";
import { Page } from "../../ui/Page.tsx";
import { VirtualRows } from "../../ui/rows/VirtualRows.tsx";
import { RunFilters } from "./RunFilters.tsx";
import { runColumns } from "./run-columns.tsx";
import { useNames } from "./use-names.ts";
import { useRunFilter } from "./use-run-filter.ts";
import { useRuns } from "./use-runs.ts";

export function RunListPage() {
  const projectId = useProject();
  const navigate = useNavigate();
  const names = useNames();
  const filter = useRunFilter();
  const runs = useRuns(filter.input);
  const columns = useMemo(() => runColumns(projectId, names), [projectId, names]);
  return (
    <Page title="Runs" lead="Everything that tools, agents and single steps did, newest first.">
      <RunFilters filter={filter} names={names} />
      <ProblemNotice problem={runs.problem} onRetry={() => void runs.refetch()} />
      {runs.problem && !runs.rows ? null : (
        <VirtualRows
          label="Runs"
          rows={runs.rows}
          empty={
            (filter.text !== "" || filter.step !== "") && runs.hasMore ? (
              <SearchOlder rows="runs" isLoading={runs.isLoadingMore} onOlder={runs.loadMore} />
            ) : (
              <NoRuns isFiltered={filter.isFiltered} projectId={projectId} />
            )
          }
          keyOf={({ run_id }) => run_id}
          columns={columns}
          onOpen={({ run_id }) => void navigate({ to: paths.run(projectId, run_id) } as never)}
          hasMore={runs.hasMore}
          isLoadingMore={runs.isLoadingMore}
          onMore={runs.loadMore}
        />
      )}
    </Page>
  );
}

function NoRuns({ isFiltered, projectId }: { isFiltered: boolean; projectId: string }) {
  if (isFiltered) {
    return <Empty title="No run matches these filters">Choose other filters, or clear them.</Empty>;
  }
  return (
    <Empty
      title="No runs yet"
      action={
        <Button component={AppLink} to={paths.tools(projectId)}>
          Go to tools
        </Button>
      }
    >
      <Text span>Each run of a tool, an agent or a single step is listed here, with every request it sent.</Text>
    </Empty>
  );
}
