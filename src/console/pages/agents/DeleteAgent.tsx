import { Text } from "@mantine/core";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { sendersInText } from "../../state/systems.ts";
import { useWrite } from "../../state/use-write.ts";
import { Confirm } from "../../ui/dialogs/Confirm.tsx";
import type { Agent } from "./agent-draft.ts";

interface DeleteAgentProps {
  agent: Agent | null;
  onClose: () => void;
  onDeleted: () => void;
}

/** Asks, then deletes the agent. */
export function DeleteAgent({ agent, onClose, onDeleted }: DeleteAgentProps) {
  const remove = useWrite("/latest/agents/{agent_id}/delete", {
    changes: ["/latest/agents/list"],
    onDone: onDeleted,
  });
  return (
    <Confirm
      opened={agent !== null}
      title={`Delete ${agent?.name ?? ""}?`}
      action="Delete the agent"
      isDangerous
      isRunning={remove.isRunning}
      onConfirm={() => agent && remove.run({ agent_id: agent.agent_id })}
      onClose={() => {
        remove.reset();
        onClose();
      }}
    >
      <ProblemNotice problem={remove.problem} />
      <Text size="sm">
        Its address stops working at once, and webhooks that were made for it at {sendersInText} are removed. Its
        conversations and events stay readable as runs. This cannot be undone.
      </Text>
    </Confirm>
  );
}
