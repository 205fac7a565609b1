import { Button, Skeleton, Tabs } from "@mantine/core";
import { useNavigate, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { paths, type ToolTab } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useProject } from "../../state/use-project.ts";
import { useRead } from "../../state/use-read.ts";
import { useSearchState } from "../../state/use-search-state.ts";
import { Dropdown } from "../../ui/dialogs/Dropdown.tsx";
import { lazyWhenIdle } from "../../ui/lazy-when-idle.ts";
import { Page } from "../../ui/Page.tsx";
import { DeleteTool } from "./DeleteTool.tsx";
import { VersionBadge } from "./ToolList.tsx";
import { UseTab } from "./use/UseTab.tsx";

const BuildTab = lazy(() => import("./build/BuildTab.tsx").then((file) => ({ default: file.BuildTab })));
const LogsTab = lazyWhenIdle(async () => (await import("./logs/LogsTab.tsx")).LogsTab);

/** One tool: use it, build it, see its runs. */
export function ToolPage() {
  const projectId = useProject();
  const { toolId = "" } = useParams({ strict: false }) as { toolId?: string };
  const navigate = useNavigate();
  const [chosen, choose] = useSearchState("tab");
  const [isDeleting, setDeleting] = useState(false);
  const { data: tool, error, refetch } = useRead("/latest/tools/{tool_id}/get", { tool_id: toolId });
  const tab: ToolTab = chosen === "build" || chosen === "logs" ? chosen : "use";
  if (error && !tool) {
    return (
      <Page title="Tool">
        <ProblemNotice problem={error} onRetry={() => void refetch()} />
        <div>
          <Button component={AppLink} to={paths.tools(projectId)} variant="default">
            All tools
          </Button>
        </div>
      </Page>
    );
  }
  if (!tool) return <Skeleton height={320} role="status" aria-label="Loading the tool" />;
  return (
    <Page
      title={tool.title}
      {...(tool.description ? { lead: tool.description } : {})}
      actions={
        <>
          <VersionBadge tool={tool} />
          <Dropdown trigger="More" className="plain-button" align="end">
            <AppLink role="menuitem" className="menu-item" to={paths.tools(projectId)}>
              All tools
            </AppLink>
            <button type="button" role="menuitem" className="menu-item menu-danger" onClick={() => setDeleting(true)}>
              Delete the tool
            </button>
          </Dropdown>
        </>
      }
    >
      <Tabs value={tab} onChange={(next) => choose(next ?? "use")} keepMounted={false}>
        <Tabs.List mb="lg">
          <Tabs.Tab value="use">Use</Tabs.Tab>
          <Tabs.Tab value="build">Build</Tabs.Tab>
          <Tabs.Tab value="logs">Logs</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="use">
          <UseTab tool={tool} />
        </Tabs.Panel>
        <Tabs.Panel value="build">
          <Suspense fallback={<Skeleton height={240} role="status" aria-label="Loading the editor" />}>
            <BuildTab key={tool.tool_id} tool={tool} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="logs">
          <Suspense fallback={<Skeleton height={240} role="status" aria-busy="true" aria-label="Loading the runs" />}>
            <LogsTab toolId={tool.tool_id} />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
      <DeleteTool
        tool={isDeleting ? tool : null}
        onClose={() => setDeleting(false)}
        onDeleted={() => void navigate({ to: paths.tools(projectId) } as never)}
      />
    </Page>
  );
}
