import { Button, Group, Skeleton, Stack, Switch, Text } from "@mantine/core";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { eventSenders } from "../../../state/systems.ts";
import { useRead } from "../../../state/use-read.ts";
import { useSearchState } from "../../../state/use-search-state.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Notice } from "../../../ui/Notice.tsx";
import { Section } from "../../../ui/Section.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { type Agent, agentChanges } from "../agent-draft.ts";
import { AddressField } from "./AddressField.tsx";
import { RefusedEvents } from "./RefusedEvents.tsx";
import { RotateSecret } from "./RotateSecret.tsx";
import { SenderSecrets } from "./SenderSecrets.tsx";
import { TestEvent } from "./TestEvent.tsx";

const { header, hash } = eventSenders[0]?.signature ?? { header: "", hash: "" };
const lead = `The sender signs the bytes of the body with the secret: HMAC-${hash.toUpperCase()} in hex, in the header ${header}.`;

/** The agent's address and the secret that signs what is sent to it. */
export function AgentWebhook({ agent }: { agent: Agent }) {
  const [dialog, setDialog] = useSearchState("dialog");
  const read = useRead("/latest/agents/{agent_id}/webhook", { agent_id: agent.agent_id }, { every: 10_000 });
  const update = useWrite("/latest/agents/{agent_id}/update", { changes: agentChanges });
  const close = () => setDialog("");
  const refused = read.data?.refused_signatures;
  return (
    <Section title="Webhook" lead={lead} actions={<Button onClick={() => setDialog("test")}>Send a test event</Button>}>
      <ProblemNotice problem={read.error ?? update.problem} onRetry={() => void read.refetch()} />
      {read.data ? <AddressField url={read.data.webhook_url} /> : <Skeleton height={60} aria-label="Loading" />}
      {refused ? (
        <Notice tone="warn" title="Requests without a valid signature were refused">
          {refused.count === 1 ? "One request" : `${refused.count} requests`}, the last <Time at={refused.last_at} />,
          since this server started. Compare the secret at the sender with the one shown here when it was made, or
          rotate it.
        </Notice>
      ) : null}
      {read.data && read.data.refused_events.length > 0 ? <RefusedEvents refusals={read.data.refused_events} /> : null}
      <Stack gap="xs">
        <Switch
          label="Require a signature"
          description="Off accepts events from anyone who knows the address. Use it for senders that cannot sign."
          checked={agent.webhook_signature === "required"}
          disabled={update.isRunning}
          onChange={({ currentTarget: { checked } }) =>
            update.run({ agent_id: agent.agent_id, webhook_signature: checked ? "required" : "off" })
          }
        />
        <Group gap="xs">
          <Button variant="default" size="compact-sm" onClick={() => setDialog("rotate")}>
            Rotate the secret
          </Button>
          <Button variant="default" size="compact-sm" onClick={() => setDialog("secrets")}>
            Secrets of senders
          </Button>
          {read.data && read.data.queued_events > 0 ? (
            <Text size="sm" c="dimmed">
              {read.data.queued_events} events wait until the agent is resumed.
            </Text>
          ) : null}
        </Group>
      </Stack>
      {dialog === "test" ? <TestEvent agent={agent} onClose={close} /> : null}
      {dialog === "rotate" ? <RotateSecret agent={agent} onClose={close} /> : null}
      {dialog === "secrets" ? <SenderSecrets agent={agent} onClose={close} /> : null}
    </Section>
  );
}
