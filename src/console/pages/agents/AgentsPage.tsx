import { Button } from "@mantine/core";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useProject } from "../../state/use-project.ts";
import { useSearchState } from "../../state/use-search-state.ts";
import { useRole, useWho } from "../../state/who.ts";
import { Notice } from "../../ui/Notice.tsx";
import { Page } from "../../ui/Page.tsx";
import { AgentList } from "./AgentList.tsx";
import { NewAgent } from "./setup/NewAgent.tsx";

const lead =
  "An agent follows your instructions with the steps and tools that you allow, when you ask it or an event arrives.";

/** `?new=1` opens the form for a new one. */
export function AgentsPage() {
  const who = useWho();
  const { may } = useRole(useProject());
  const [isNew, setNew] = useSearchState("new");
  if (who.error) return <ProblemNotice problem={who.error} onRetry={() => void who.refetch()} />;
  if (who.data && !may("editor")) {
    return (
      <Page title="Agents" lead={lead}>
        <Notice tone="info">Editors see and use agents. Ask an admin of this project for the role Editor.</Notice>
      </Page>
    );
  }
  return (
    <Page
      title="Agents"
      lead={lead}
      actions={isNew === "1" ? null : <Button onClick={() => setNew("1")}>Create an agent</Button>}
    >
      {isNew === "1" ? <NewAgent onClose={() => setNew("")} /> : <AgentList onCreate={() => setNew("1")} />}
    </Page>
  );
}
