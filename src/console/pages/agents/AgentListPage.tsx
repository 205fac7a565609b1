import { Button, Skeleton } from "@mantine/core";
import { Suspense } from "react";
import { EditorsOnly } from "../../shell/EditorsOnly.tsx";
import { useOpenState } from "../../state/use-search-state.ts";
import { lazyWhenIdle } from "../../ui/lazy-when-idle.ts";
import { Page } from "../../ui/Page.tsx";
import { AgentList } from "./AgentList.tsx";

const NewAgent = lazyWhenIdle(async () => (await import("./setup/NewAgent.tsx")).NewAgent);

const title = "Agents";
const lead =
  "An agent follows your instructions with the steps and tools that you allow, when you ask it or an event arrives.";

/** `?new=1` opens the form for a new one. */
export function AgentListPage() {
  const [isNew, setNew] = useOpenState("new");
  return (
    <EditorsOnly title={title} lead={lead} action="see and use agents">
      <Page
        title={title}
        lead={lead}
        actions={isNew === "1" ? null : <Button onClick={() => setNew("1")}>Create an agent</Button>}
      >
        <Suspense fallback={<Skeleton height={320} role="status" aria-busy="true" aria-label="Loading the form" />}>
          {isNew === "1" ? <NewAgent onClose={() => setNew("")} /> : <AgentList onCreate={() => setNew("1")} />}
        </Suspense>
      </Page>
    </EditorsOnly>
  );
}
