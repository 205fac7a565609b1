import { Button, Group, Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useDraft } from "../../../state/use-draft.ts";
import { useWrite } from "../../../state/use-write.ts";
import { isSame } from "../../tools/tool.ts";
import { type Agent, type AgentDraft, agentChanges, draftOf, wishOf } from "../agent-draft.ts";
import { AgentFields } from "./AgentFields.tsx";

/** Changes an agent. What is not saved yet stays in this browser. */
export function SetupTab({ agent }: { agent: Agent }) {
  const saved = draftOf(agent);
  const [kept, keep, forget] = useDraft<AgentDraft | null>(`agent.${agent.agent_id}`, null);
  const update = useWrite("/latest/agents/{agent_id}/update", { changes: agentChanges });
  const isSaved = kept !== null && isSame(kept, saved);
  useEffect(() => {
    if (isSaved) forget();
  }, [isSaved, forget]);
  const draft = kept ?? saved;
  const isChanged = kept !== null && !isSaved;
  const wish = wishOf(draft);
  return (
    <Stack gap="lg">
      <Group justify="space-between" className="build-bar" gap="xs">
        <Text size="sm" c="dimmed">
          {isChanged
            ? "Changes are kept in this browser until you save. They apply from the next run on."
            : "Saved. It handles events on behalf of the person who last saved it."}
        </Text>
        <Group gap="xs">
          <Button variant="default" disabled={!isChanged} onClick={forget}>
            Undo changes
          </Button>
          <Button
            disabled={!isChanged || wish === null || wish.name === ""}
            loading={update.isRunning}
            onClick={() => wish && update.run({ agent_id: agent.agent_id, ...wish })}
          >
            Save the agent
          </Button>
        </Group>
      </Group>
      <ProblemNotice problem={update.problem} />
      <AgentFields draft={draft} onChange={keep} mistakes={update.problem?.errors ?? []} />
    </Stack>
  );
}
