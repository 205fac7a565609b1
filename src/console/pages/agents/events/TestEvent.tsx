import { Autocomplete, Button, Group, JsonInput, Stack, Text } from "@mantine/core";
import { paths } from "../../../paths.ts";
import { AppLink } from "../../../shell/AppLink.tsx";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { eventNames, eventSenders } from "../../../state/systems.ts";
import { useDraft } from "../../../state/use-draft.ts";
import { useProject } from "../../../state/use-project.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Modal } from "../../../ui/dialogs/Dialog.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { readParams } from "../../runs/detail/read-params.ts";
import { type Agent, agentChanges } from "../agent-draft.ts";
import { type AgentEvent, eventChanges, statusOf } from "./describe-event.ts";

const sample = JSON.stringify(eventSenders[0]?.payload ?? {}, null, 2);

/** Sends an event that is signed with the agent's secret, on the way of every other event. */
export function TestEvent({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const first = agent.rules.find(({ on }) => on !== "*")?.on ?? eventSenders[0]?.first ?? "";
  const [draft, setDraft] = useDraft(`test-event.${agent.agent_id}`, { type: first, payload: sample });
  const send = useWrite("/latest/agents/{agent_id}/test_event", { changes: eventChanges });
  const resume = useWrite("/latest/agents/{agent_id}/resume", { changes: agentChanges, onDone: send.reset });
  const payload = readParams(draft.payload);
  const names = [...new Set([...agent.rules.map(({ on }) => on), ...eventNames])].filter((on) => on !== "*");
  return (
    <Modal opened onClose={onClose} title="Send a test event" size="lg" closeButtonProps={{ "aria-label": "Close" }}>
      <Stack gap="md">
        <Text size="sm">
          It is signed with the agent's secret and handled like any other: it starts what a real event would start. Its
          body says that it is a test.
        </Text>
        <ProblemNotice
          problem={resume.problem ?? send.problem}
          buttons={{
            event_queue_full: (
              <Button
                size="compact-sm"
                variant="default"
                loading={resume.isRunning}
                onClick={() => resume.run({ agent_id: agent.agent_id })}
              >
                Resume the agent
              </Button>
            ),
          }}
        />
        <Autocomplete
          label="Event"
          data={names}
          value={draft.type}
          onChange={(type) => setDraft({ ...draft, type })}
          required
          openOnFocus={false}
          data-autofocus
        />
        <JsonInput
          label="Payload"
          value={draft.payload}
          onChange={(text) => setDraft({ ...draft, payload: text })}
          error={"mistake" in payload ? payload.mistake : null}
          autosize
          minRows={4}
          maxRows={16}
          spellCheck={false}
          className="mono-input"
        />
        {send.output ? <Sent event={send.output} /> : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button
            loading={send.isRunning}
            disabled={"mistake" in payload || draft.type.trim() === ""}
            onClick={() =>
              "value" in payload &&
              send.run({ agent_id: agent.agent_id, type: draft.type.trim(), payload: payload.value })
            }
          >
            Send it
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Sent({ event }: { event: AgentEvent }) {
  const projectId = useProject();
  const { tone, sentence } = statusOf(event);
  return (
    <Notice
      tone={tone}
      title="The event was accepted"
      action={
        event.run_id ? (
          <Button component={AppLink} to={paths.run(projectId, event.run_id)} variant="default" size="compact-sm">
            Open the run
          </Button>
        ) : null
      }
    >
      {sentence}
    </Notice>
  );
}
