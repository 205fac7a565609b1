import { Button, Group, Stack } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { paths } from "../../../paths.ts";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useDraft } from "../../../state/use-draft.ts";
import { useProject } from "../../../state/use-project.ts";
import { useWrite } from "../../../state/use-write.ts";
import { SecretOnce } from "../../../ui/dialogs/SecretOnce.tsx";
import { Section } from "../../../ui/Section.tsx";
import { agentChanges, emptyAgent, wishOf } from "../agent-draft.ts";
import { AddressField } from "../events/AddressField.tsx";
import { AgentFields } from "./AgentFields.tsx";

/** An agent that is not made yet. Its secret is shown once, right after it is made. */
export function NewAgent({ onClose }: { onClose: () => void }) {
  const projectId = useProject();
  const navigate = useNavigate();
  const [draft, change, clear] = useDraft("new-agent", emptyAgent);
  const create = useWrite("/latest/agents/create", { changes: agentChanges, onDone: clear });
  const wish = wishOf(draft);
  const made = create.output;
  if (made) {
    return (
      <Section title="The agent is made">
        <Stack gap="md">
          <SecretOnce label="Webhook secret" secret={made.webhook_secret} />
          <AddressField url={made.webhook_url} />
          <Group justify="flex-end">
            <Button onClick={() => void navigate({ to: paths.agent(projectId, made.agent_id) } as never)}>
              I have copied it
            </Button>
          </Group>
        </Stack>
      </Section>
    );
  }
  return (
    <Stack gap="lg">
      <ProblemNotice problem={create.problem} />
      <AgentFields draft={draft} onChange={change} mistakes={create.problem?.errors ?? []} />
      <Group justify="flex-end" gap="xs">
        <Button
          variant="subtle"
          onClick={() => {
            clear();
            onClose();
          }}
        >
          Discard
        </Button>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button
          loading={create.isRunning}
          disabled={wish === null || wish.name === ""}
          onClick={() => wish && create.run(wish)}
        >
          Create the agent
        </Button>
      </Group>
    </Stack>
  );
}
