import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { eventSenders, type SystemId } from "../../../state/systems.ts";
import { useRead } from "../../../state/use-read.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Section } from "../../../ui/Section.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { AccountSelect, onlyAccount, useConnections } from "../../tools/build/AccountSelect.tsx";
import type { Agent } from "../agent-draft.ts";
import { eventChanges } from "./describe-event.ts";

/** Webhooks that are made for the agent at the systems that send events, through a connected account. */
export const PlatformWebhooks = ({ agent }: { agent: Agent }) =>
  eventSenders.map(({ system, webhook }) =>
    webhook ? <PlatformWebhook key={system} agent={agent} system={system} {...webhook} /> : null,
  );

interface PlatformWebhookProps {
  agent: Agent;
  system: SystemId;
  title: string;
  lead: string;
}

function PlatformWebhook({ agent, system, title, lead }: PlatformWebhookProps) {
  const connections = useConnections();
  const [chosen, setChosen] = useState<string | undefined>();
  const { data } = useRead("/latest/agents/{agent_id}/webhook", { agent_id: agent.agent_id }, { every: 10_000 });
  const register = useWrite("/latest/agents/{agent_id}/register_webhook", { changes: eventChanges });
  const unregister = useWrite("/latest/agents/{agent_id}/unregister_webhook", { changes: eventChanges });
  const connectionId = chosen ?? onlyAccount(connections, system);
  const isHere = (id: string) =>
    (connections?.find(({ connection_id }) => connection_id === id)?.system ?? eventSenders[0]?.system) === system;
  const registrations = data?.registrations.filter(({ connection_id }) => isHere(connection_id)) ?? [];
  const labelOf = (id: string) => connections?.find(({ connection_id }) => connection_id === id)?.label ?? id;
  const refused = register.output?.problem ?? unregister.output?.problem;
  return (
    <Section title={title} lead={lead}>
      <ProblemNotice problem={register.problem ?? unregister.problem} />
      <ProblemNotice problem={refused} />
      {registrations.length > 0 ? (
        <ul className="short-list" aria-label="Webhooks at the platform">
          {registrations.map((made) => (
            <li key={made.connection_id}>
              <Stack gap={0} flex="1 1 14rem">
                <Text fw={600} dir="auto">
                  {labelOf(made.connection_id)}
                </Text>
                <Text size="sm" c="dimmed" className="anywhere">
                  {made.events.join(", ")} · since <Time at={made.created_at} />
                </Text>
              </Stack>
              <Button
                variant="subtle"
                color="red"
                size="compact-sm"
                aria-label={`Remove the webhook of ${labelOf(made.connection_id)}`}
                loading={unregister.isRunning}
                onClick={() => unregister.run({ agent_id: agent.agent_id, connection_id: made.connection_id })}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      <Group gap="xs" align="end">
        <div className="grow">
          <AccountSelect system={system} value={connectionId} onChange={setChosen} />
        </div>
        <Button
          variant="default"
          disabled={connectionId === undefined}
          loading={register.isRunning}
          onClick={() => connectionId && register.run({ agent_id: agent.agent_id, connection_id: connectionId })}
        >
          Register the webhook
        </Button>
      </Group>
    </Section>
  );
}
