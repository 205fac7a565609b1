import { AppShell, Burger, Group, Loader } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Outlet, useRouterState } from "@tanstack/react-router";
import { Suspense, useEffect } from "react";
import { useProjectId } from "../state/call.ts";
import { rememberProject } from "../state/last-project.ts";
import { useLive } from "../state/live.ts";
import { useSamePerson } from "../state/person.ts";
import { Brand } from "./Brand.tsx";
import { CommandMenu } from "./CommandMenu.tsx";
import { ConfirmIdentity } from "./ConfirmIdentity.tsx";
import { Navigation } from "./Navigation.tsx";
import { NetworkBanner } from "./NetworkBanner.tsx";
import { PersonMenu } from "./PersonMenu.tsx";
import { Sandboxes } from "./sandboxes/Sandboxes.tsx";

/** What surrounds every page: navigation, the command menu, and the banner for a lost connection. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const projectId = useProjectId();
  useLive();
  useSamePerson();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the navigation closes when the page changes.
  useEffect(close, [path]);
  useEffect(() => {
    if (projectId !== null) rememberProject(projectId);
  }, [projectId]);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 232, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      padding={{ base: "md", sm: "xl" }}
    >
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <AppShell.Header px="md" className="header">
        <Group h="100%" justify="space-between" wrap="nowrap" gap="sm">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? "Close the navigation" : "Open the navigation"}
            />
            <Brand />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Sandboxes />
            <CommandMenu />
            <PersonMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" className="navbar" aria-label="Main">
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="main" className="main">
        <NetworkBanner />
        <Suspense fallback={<Loader role="status" aria-label="Loading the page" />}>
          {/* A page begins anew in another project: neither its data nor an open question goes along. */}
          <Outlet key={projectId} />
        </Suspense>
      </AppShell.Main>
      <ConfirmIdentity />
    </AppShell>
  );
}
