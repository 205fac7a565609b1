import { Button, Group, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { LoadedList } from "../../shell/LoadedList.tsx";
import { useProject } from "../../state/use-project.ts";
import { useList } from "../../state/use-read.ts";
import { Empty } from "../../ui/Empty.tsx";
import { StateBadge } from "../../ui/StateBadge.tsx";
import { Time } from "../../ui/times/Time.tsx";
import { type Agent, approvals } from "./agent-draft.ts";

export function AgentList({ onCreate }: { onCreate: () => void }) {
  const projectId = useProject();
  const navigate = useNavigate();
  const list = useList("/latest/agents/list", { limit: 100 });
  return (
    <LoadedList
      label="Agents"
      list={list}
      keyOf={({ agent_id }) => agent_id}
      onOpen={({ agent_id }) => void navigate({ to: paths.agent(projectId, agent_id) } as never)}
      empty={
        <Empty title="No agent yet" action={<Button onClick={onCreate}>Create an agent</Button>}>
          Describe what it should do, give it steps and tools, and talk to it or send it events.
        </Empty>
      }
      columns={[
        {
          title: "Agent",
          cell: (agent) => (
            <>
              <Group gap="xs">
                <Text fw={600} dir="auto" className="anywhere">
                  {agent.name}
                </Text>
                {agent.paused ? <StateBadge tone="warn" text="Paused" /> : null}
              </Group>
              <Text size="sm" c="dimmed" lineClamp={1} dir="auto">
                {agent.instructions || "Follows its rules alone."}
              </Text>
            </>
          ),
        },
        { title: "May use", width: "11rem", cell: (agent) => mayUse(agent) },
        {
          title: "Asks a person",
          width: "13rem",
          isExtra: true,
          cell: ({ approval }) => approvals.find(({ value }) => value === approval)?.label,
        },
        { title: "Changed", width: "9rem", isExtra: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
      ]}
    />
  );
}

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? "" : "s"}`;

function mayUse({ steps, tools, rules }: Agent): string {
  const parts = [
    steps.length > 0 ? count(steps.length, "step") : "",
    tools.length > 0 ? count(tools.length, "tool") : "",
    rules.length > 0 ? count(rules.length, "rule") : "",
  ].filter(Boolean);
  return parts.join(", ") || "Nothing yet";
}
