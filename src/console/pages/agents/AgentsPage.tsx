import { Button } from "@mantine/core";
import { EditorsOnly } from "../../shell/EditorsOnly.tsx";
import { useOpenState } from "../../state/use-search-state.ts";
import { Page } from "../../ui/Page.tsx";
import { AgentList } from "./AgentList.tsx";
import { NewAgent } from "./setup/NewAgent.tsx";

const title = "Agents";
const lead =
  "An agent follows your instructions with the steps and tools that you allow, when you ask it or an event arrives.";

/** `?new=1` opens the form for a new one. */
export function AgentsPage() {
  const [isNew, setNew] = useOpenState("new");
  return (
    <EditorsOnly title={title} lead={lead} action="see and use agents">
      <Page
        title={title}
        lead={lead}
        actions={isNew === "1" ? null : <Button onClick={() => setNew("1")}>Create an agent</Button>}
      >
        {isNew === "1" ? <NewAgent onClose={() => setNew("")} /> : <AgentList onCreate={() => setNew("1")} />}
      </Page>
    </EditorsOnly>
  );
}
