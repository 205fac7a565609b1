import { Menu, Text, UnstyledButton } from "@mantine/core";
import { paths } from "../paths.ts";
import { useWho } from "../state/who.ts";
import { AppLink } from "./AppLink.tsx";

const shownProjects = 20;

/** Names the open project and leads to the others. */
export function ProjectSwitch({ projectId }: { projectId: string | null }) {
  const { data: who } = useWho();
  const current = who?.projects.find(({ project_id }) => project_id === projectId);
  return (
    <Menu position="bottom-start" width={240}>
      <Menu.Target>
        <UnstyledButton className="switch">
          <Text fw={650} truncate dir="auto">
            {current?.name ?? "Choose a project"}
          </Text>
          <Text size="xs" c="dimmed" truncate dir="auto">
            {who?.organization.name ?? "…"}
          </Text>
          <span className="unseen">Change the project</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Projects</Menu.Label>
        {who?.projects.slice(0, shownProjects).map((project) => (
          <Menu.Item key={project.project_id} component={AppLink} to={paths.home(project.project_id)}>
            <Text size="sm" truncate dir="auto">
              {project.name}
            </Text>
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={AppLink} to={paths.projects}>
          All projects
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
