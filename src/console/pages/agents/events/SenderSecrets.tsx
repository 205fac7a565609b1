import { Button, Group, Stack, TagsInput, Text } from "@mantine/core";
import { useState } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { sendersInText } from "../../../state/systems.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Modal } from "../../../ui/dialogs/Dialog.tsx";
import { type Agent, agentChanges } from "../agent-draft.ts";

/** Secrets that senders make themselves. They are never shown again, so a new list replaces the old one. */
export function SenderSecrets({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const [secrets, setSecrets] = useState<string[]>([]);
  const update = useWrite("/latest/agents/{agent_id}/update", { changes: agentChanges, onDone: onClose });
  return (
    <Modal opened onClose={onClose} title="Secrets of senders" size="lg" closeButtonProps={{ "aria-label": "Close" }}>
      <Stack gap="md">
        <ProblemNotice problem={update.problem} />
        <Text size="sm">
          Some senders, such as {sendersInText}, make their own secret. Events that are signed with one of these are
          accepted too. Saving replaces the secrets that were kept before; an empty list removes them.
        </Text>
        <TagsInput
          label="Secrets"
          description="Enter after each, at most ten."
          value={secrets}
          onChange={setSecrets}
          maxTags={10}
          className="mono-input"
          autoComplete="off"
          data-autofocus
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            loading={update.isRunning}
            onClick={() => update.run({ agent_id: agent.agent_id, webhook_secrets: secrets })}
          >
            {secrets.length === 0 ? "Take all away" : "Save the secrets"}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
