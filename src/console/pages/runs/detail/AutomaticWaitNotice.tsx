import { Button } from "@mantine/core";
import { paths } from "../../../paths.ts";
import { AppLink } from "../../../shell/AppLink.tsx";
import { useProject } from "../../../state/use-project.ts";
import { Notice } from "../../../ui/Notice.tsx";
import type { RunRecord } from "../describe-status.ts";
import { WaitSentence } from "./WaitSentence.tsx";

/** What a run waits for where no person is asked, and until when. */
export function AutomaticWaitNotice({ run: { status, waiting_for: wait } }: { run: RunRecord }) {
  const projectId = useProject();
  if (status !== "waiting" || !wait || wait.kind === "approval" || wait.kind === "person") return null;
  const action =
    wait.kind === "limit" ? (
      <Button component={AppLink} to={paths.limits(projectId)} size="compact-sm" variant="default">
        See the limits
      </Button>
    ) : wait.run_id ? (
      <Button component={AppLink} to={paths.run(projectId, wait.run_id)} size="compact-sm" variant="default">
        Open that run
      </Button>
    ) : null;
  return (
    <Notice tone="info" action={action}>
      <WaitSentence wait={wait} /> {wait.detail}
    </Notice>
  );
}
