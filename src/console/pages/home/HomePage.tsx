import { Button, Skeleton } from "@mantine/core";
import { lazy, Suspense } from "react";
import { useInbox } from "../../state/use-inbox.ts";
import { useProject } from "../../state/use-project.ts";
import { useSearchState } from "../../state/use-search-state.ts";
import { useRole, useWho } from "../../state/use-who.ts";
import { ActionsToCome, Page } from "../../ui/Page.tsx";
import { LastDeployments } from "../deployments/LastDeployments.tsx";
import { LastReport } from "./LastReport.tsx";
import { LimitsNearlyUsed, useLimits } from "./LimitsNearlyUsed.tsx";
import { NeedsYou } from "./NeedsYou.tsx";
import { RunningNow, useRunningNow } from "./RunningNow.tsx";
import { Tour, useIsTourKnown } from "./Tour.tsx";

const EditProject = lazy(async () => ({ default: (await import("./EditProject.tsx")).EditProject }));

/** What happens in the project now, and what needs a person. */
export function HomePage() {
  const projectId = useProject();
  const { data: who } = useWho();
  const role = useRole(projectId);
  const isAdmin = role.may("admin");
  const [isEditing, setEditing] = useSearchState("edit");
  const name = who?.projects.find(({ project_id }) => project_id === projectId)?.name;
  const isKnown = useIsKnown();
  return (
    <Page
      title="Home"
      lead={name ? <span dir="auto">{name}</span> : "\u00a0"}
      actions={
        isAdmin ? (
          <Button variant="default" onClick={() => setEditing("1")}>
            Edit the project
          </Button>
        ) : role.isKnown ? null : (
          <ActionsToCome />
        )
      }
    >
      {isKnown ? (
        <>
          <Tour />
          <div className="columns-2">
            <div className="column">
              <NeedsYou />
              <LimitsNearlyUsed />
            </div>
            <div className="column">
              <RunningNow />
              <LastDeployments />
            </div>
          </div>
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

/** Everything that our own server answers is read at once, and shown at once: nothing moves when the rest arrives. */
function useIsKnown(): boolean {
  const [inbox, running, limits] = [useInbox(), useRunningNow(), useLimits()];
  const known = [
    useIsTourKnown(),
    inbox.isLoaded || inbox.problem !== null,
    running.rows !== undefined || running.problem !== null,
    limits.data !== undefined || limits.error !== null,
  ];
  return known.every(Boolean);
}
