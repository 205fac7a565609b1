import { Anchor, List, Skeleton, Stack, Text } from "@mantine/core";
import { paths } from "../../../paths.ts";
import { AppLink } from "../../../shell/AppLink.tsx";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useProject } from "../../../state/use-project.ts";
import { useRead } from "../../../state/use-read.ts";
import { Section } from "../../../ui/Section.tsx";

export const useImpact = (connectionId: string) =>
  useRead("/latest/connections/{connection_id}/impact", { connection_id: connectionId }, { staleTime: 0 });

/** What stops when the account does. */
export function AccountUses({ connectionId }: { connectionId: string }) {
  return (
    <Section title="Who uses it">
      <Impact connectionId={connectionId} nothing="No tool, agent or schedule uses this account." />
    </Section>
  );
}

export function Impact({ connectionId, nothing }: { connectionId: string; nothing: string }) {
  const projectId = useProject();
  const { data, error, refetch } = useImpact(connectionId);
  if (error) return <ProblemNotice problem={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={60} aria-label="Loading" />;
  const titleOf = (toolId: string) => data.tools.find(({ tool_id }) => tool_id === toolId)?.title ?? toolId;
  const groups: [string, { key: string; text: string; to: string }[]][] = [
    [
      "Tools",
      data.tools.map((tool) => ({ key: tool.tool_id, text: tool.title, to: paths.tool(projectId, tool.tool_id) })),
    ],
    [
      "Agents",
      data.agents.map((agent) => ({
        key: agent.agent_id,
        text: agent.name,
        to: paths.agent(projectId, agent.agent_id),
      })),
    ],
    [
      "Schedules",
      data.schedules.map(({ schedule_id, tool_id }) => ({
        key: schedule_id,
        text: titleOf(tool_id),
        to: paths.schedules(projectId),
      })),
    ],
  ];
  const used = groups.filter(([, items]) => items.length > 0);
  if (used.length === 0) return <Text size="sm">{nothing}</Text>;
  return (
    <Stack gap="xs">
      {used.map(([title, items]) => (
        <div key={title}>
          <Text size="sm" fw={600}>
            {title}
          </Text>
          <List size="sm">
            {items.map(({ key, text, to }) => (
              <List.Item key={key}>
                <Anchor component={AppLink} to={to} size="sm" dir="auto" className="anywhere" underline="always">
                  {text}
                </Anchor>
              </List.Item>
            ))}
          </List>
        </div>
      ))}
    </Stack>
  );
}
