import { Button, SimpleGrid, Skeleton } from "@mantine/core";
import { lazy, Suspense } from "react";
import { useProject } from "../../state/use-project.ts";
import { useSearchState } from "../../state/use-search-state.ts";
import { useRole, useWho } from "../../state/who.ts";
import { Page } from "../../ui/Page.tsx";
import { Deployments } from "./Deployments.tsx";
import { LastReport } from "./LastReport.tsx";
import { LimitsClose } from "./LimitsClose.tsx";
import { NeedsYou } from "./NeedsYou.tsx";
import { RunningNow } from "./RunningNow.tsx";
import { Tour, useIsTourKnown } from "./Tour.tsx";

const EditProject = lazy(async () => ({ default: (await import("./EditProject.tsx")).EditProject }));

/** What happens in the project now, and what needs a person. */
export function HomePage() {
  const projectId = useProject();
  const { data: who } = useWho();
  const isAdmin = useRole(projectId).may("admin");
  const [isEditing, setEditing] = useSearchState("edit");
  const name = who?.projects.find(({ project_id }) => project_id === projectId)?.name;
  const isTourKnown = useIsTourKnown();
  return (
    <Page
      title="Home"
      lead={name ? <span dir="auto">{name}</span> : "\u00a0"}
      actions={
        isAdmin ? (
          <Button variant="default" onClick={() => setEditing("1")}>
            Edit the project
          </Button>
        ) : null
      }
    >
      {isTourKnown ? (
        <>
          <Tour />
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
            <NeedsYou />
            <RunningNow />
            <LimitsClose />
            <Deployments />
          </SimpleGrid>
          <LastReport />
        </>
      ) : (
        <Skeleton height={480} role="status" aria-busy="true" aria-label="Loading the project" />
      )}
      {isAdmin && isEditing === "1" ? (
        <Suspense>
          <EditProject onClose={() => setEditing("")} />
        </Suspense>
      ) : null}
    </Page>
  );
}
