import { Button, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { paths } from "../../../paths.ts";
import { AppLink } from "../../../shell/AppLink.tsx";
import { LoadedList } from "../../../shell/LoadedList.tsx";
import { useList } from "../../../state/use-read.ts";
import { Empty } from "../../../ui/Empty.tsx";
import { Section } from "../../../ui/Section.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { outside } from "../organization.ts";

export function OrganizationProjects() {
  const list = useList("/latest/projects/list", { limit: 100 }, outside);
  const navigate = useNavigate();
  return (
    <Section
      title="Projects"
      actions={
        <Button component={AppLink} to={paths.projects} variant="default" size="compact-sm">
          All projects
        </Button>
      }
    >
      <LoadedList
        label="Projects"
        list={list}
        keyOf={({ project_id }) => project_id}
        onOpen={({ project_id }) => void navigate({ to: paths.home(project_id) } as never)}
        empty={<Empty title="No project yet">Create the first one on the page Projects.</Empty>}
        columns={[
          {
            title: "Name",
            cell: ({ name }) => (
              <Text fw={600} size="sm" dir="auto" className="anywhere">
                {name}
              </Text>
            ),
          },
          {
            title: "Id",
            isExtra: true,
            cell: ({ project_id }) => (
              <Text size="xs" c="dimmed" className="mono">
                {project_id}
              </Text>
            ),
          },
          { title: "Created", width: "9rem", isExtra: true, cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
      />
    </Section>
  );
}
