import { Badge, Button, Group, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { LoadedList } from "../../shell/LoadedList.tsx";
import { useProject } from "../../state/use-project.ts";
import { useList } from "../../state/use-read.ts";
import { Empty } from "../../ui/Empty.tsx";
import { Time } from "../../ui/times/Time.tsx";
import { DeleteTool } from "./DeleteTool.tsx";
import type { Tool } from "./tool.ts";

export function ToolList({ onCreate }: { onCreate: () => void }) {
  const projectId = useProject();
  const navigate = useNavigate();
  const list = useList("/latest/tools/list", { limit: 100 });
  const [deleting, setDeleting] = useState<Tool | null>(null);
  return (
    <>
      <LoadedList
        label="Tools"
        list={list}
        keyOf={(tool) => tool.tool_id}
        onOpen={(tool) => void navigate({ to: paths.tool(projectId, tool.tool_id) } as never)}
        empty={
          <Empty title="No tool yet" action={<Button onClick={onCreate}>Create a tool</Button>}>
            Search a step above to begin, or import a tool as YAML.
          </Empty>
        }
        columns={[
          {
            title: "Tool",
            cell: (tool) => (
              <>
                <Text fw={600} dir="auto" className="anywhere">
                  {tool.title}
                </Text>
                {tool.description ? (
                  <Text size="sm" c="dimmed" lineClamp={1} dir="auto">
                    {tool.description}
                  </Text>
                ) : null}
              </>
            ),
          },
          { title: "Steps", cell: ({ steps }) => steps.length, width: "5rem", isExtra: true, align: "right" },
          { title: "Version", cell: (tool) => <VersionBadge tool={tool} />, width: "8rem" },
          { title: "Changed", cell: ({ updated_at }) => <Time at={updated_at} />, width: "9rem", isExtra: true },
          {
            title: "",
            align: "right",
            width: "11rem",
            isExtra: true,
            cell: (tool) => (
              <Group gap={4} justify="flex-end" wrap="nowrap">
                <Button
                  component={AppLink}
                  to={paths.tool(projectId, tool.tool_id, "build")}
                  variant="subtle"
                  size="compact-sm"
                  aria-label={`Build ${tool.title}`}
                >
                  Build
                </Button>
                <Button
                  variant="subtle"
                  color="red"
                  size="compact-sm"
                  aria-label={`Delete ${tool.title}`}
                  onClick={() => setDeleting(tool)}
                >
                  Delete
                </Button>
              </Group>
            ),
          },
        ]}
      />
      <DeleteTool tool={deleting} onClose={() => setDeleting(null)} />
    </>
  );
}

export const VersionBadge = ({ tool }: { tool: Pick<Tool, "published_version"> }) =>
  tool.published_version === null ? (
    <Badge variant="outline" tt="none">
      Draft
    </Badge>
  ) : (
    <Badge variant="light" tt="none">
      Version {tool.published_version}
    </Badge>
  );
