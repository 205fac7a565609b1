import { Badge, NavLink, ScrollArea, Stack, Text } from "@mantine/core";
import { useRouterState } from "@tanstack/react-router";
import { navPages } from "../pages/pages.ts";
import { paths } from "../paths.ts";
import { useProjectId } from "../state/call.ts";
import { useInbox } from "../state/inbox.ts";
import { lastProject } from "../state/last-project.ts";
import { AppLink } from "./AppLink.tsx";
import { ProjectSwitch } from "./ProjectSwitch.tsx";

const groups = ["Work", "Systems", "Project"] as const;

export function Navigation() {
  const inAddress = useProjectId();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const projectId = inAddress ?? lastProject();
  const waiting = useInbox().items.length;
  const isHere = (to: string) => (to === paths.home(projectId ?? "") ? path === to : path.startsWith(to));
  return (
    <Stack gap={0} h="100%">
      <ProjectSwitch projectId={projectId} />
      <ScrollArea flex={1} type="auto" scrollbarSize={6}>
        {projectId === null
          ? null
          : groups.map((group) => (
              <div key={group}>
                <Text size="xs" c="dimmed" fw={600} mt="md" mb={2} px="xs">
                  {group}
                </Text>
                {navPages
                  .filter((page) => page.group === group)
                  .map((page) => (
                    <NavLink
                      key={page.title}
                      component={AppLink}
                      className="nav-link"
                      to={page.to(projectId)}
                      label={page.title}
                      active={isHere(page.to(projectId))}
                      aria-current={isHere(page.to(projectId)) ? "page" : undefined}
                      rightSection={
                        page.title === "Inbox" && waiting > 0 ? (
                          <Badge size="sm" aria-label={`${waiting} waiting`}>
                            {waiting > 99 ? "99+" : waiting}
                          </Badge>
                        ) : null
                      }
                    />
                  ))}
              </div>
            ))}
        <NavLink
          component={AppLink}
          className="nav-link"
          mt="md"
          to={paths.organization}
          label="Organization"
          active={path === paths.organization}
          aria-current={path === paths.organization ? "page" : undefined}
        />
      </ScrollArea>
    </Stack>
  );
}
