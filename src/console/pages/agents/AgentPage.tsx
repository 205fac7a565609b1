import { Button, Skeleton, Tabs } from "@mantine/core";
import { useNavigate, useParams } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useProject } from "../../state/use-project.ts";
import { useRead } from "../../state/use-read.ts";
import { useSearchState } from "../../state/use-search-state.ts";
import { useWrite } from "../../state/use-write.ts";
import { Dropdown } from "../../ui/dialogs/Dropdown.tsx";
import { lazyWhenIdle } from "../../ui/lazy-when-idle.ts";
import { Notice } from "../../ui/Notice.tsx";
import { Page } from "../../ui/Page.tsx";
import { agentChanges } from "./agent-draft.ts";
import { DeleteAgent } from "./DeleteAgent.tsx";
import { TalkTab } from "./talk/TalkTab.tsx";

const EventsTab = lazyWhenIdle(async () => (await import("./events/EventsTab.tsx")).EventsTab);
const SetupTab = lazyWhenIdle(async () => (await import("./setup/SetupTab.tsx")).SetupTab);

const tabs = ["conversations", "events", "setup"];

/** One agent: talk to it, see the events that it received, and set it up. */
export function AgentPage() {
  const projectId = useProject();
  const { agentId = "" } = useParams({ strict: false }) as { agentId?: string };
  const navigate = useNavigate();
  const [chosen, choose] = useSearchState("tab");
  const [isDeleting, setDeleting] = useState(false);
  const { data: agent, error, refetch } = useRead("/latest/agents/{agent_id}/get", { agent_id: agentId });
  const pause = useWrite("/latest/agents/{agent_id}/pause", { changes: agentChanges });
  const resume = useWrite("/latest/agents/{agent_id}/resume", { changes: agentChanges });
  const tab = tabs.includes(chosen) ? chosen : "conversations";
  if (error && !agent) {
    return (
      <Page title="Agent">
        <ProblemNotice problem={error} onRetry={() => void refetch()} />
        <div>
          <Button component={AppLink} to={paths.agents(projectId)} variant="default">
            All agents
          </Button>
        </div>
      </Page>
    );
  }
  if (!agent) return <Skeleton height={320} role="status" aria-label="Loading the agent" />;
  return (
    <Page
      title={agent.name}
      actions={
        <>
          {agent.paused ? null : (
            <Button variant="default" loading={pause.isRunning} onClick={() => pause.run({ agent_id: agentId })}>
              Pause
            </Button>
          )}
          <Dropdown trigger="More" className="plain-button" align="end">
            <AppLink role="menuitem" className="menu-item" to={paths.agents(projectId)}>
              All agents
            </AppLink>
            <button type="button" role="menuitem" className="menu-item menu-danger" onClick={() => setDeleting(true)}>
              Delete the agent
            </button>
          </Dropdown>
        </>
      }
    >
      <ProblemNotice problem={pause.problem ?? resume.problem} />
      {agent.paused ? (
        <Notice
          tone="warn"
          action={
            <Button size="compact-sm" loading={resume.isRunning} onClick={() => resume.run({ agent_id: agentId })}>
              Resume
            </Button>
          }
        >
          This agent is paused: its events wait, up to 1,000 of them, and are handled in their order when it is resumed.
          Messages from people still reach it.
        </Notice>
      ) : null}
      <Tabs value={tab} onChange={(next) => choose(next ?? "")} keepMounted={false}>
        <Tabs.List mb="lg">
          <Tabs.Tab value="conversations">Conversations</Tabs.Tab>
          <Tabs.Tab value="events">Events</Tabs.Tab>
          <Tabs.Tab value="setup">Set-up</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="conversations">
          <TalkTab agent={agent} />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <Suspense fallback={<Skeleton height={320} role="status" aria-busy="true" aria-label="Loading the events" />}>
            <EventsTab agent={agent} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="setup">
          <Suspense fallback={<Skeleton height={320} role="status" aria-busy="true" aria-label="Loading the set-up" />}>
            <SetupTab key={agent.agent_id} agent={agent} />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
      <DeleteAgent
        agent={isDeleting ? agent : null}
        onClose={() => setDeleting(false)}
        onDeleted={() => void navigate({ to: paths.agents(projectId) } as never)}
      />
    </Page>
  );
}
