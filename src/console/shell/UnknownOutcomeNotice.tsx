import { Button } from "@mantine/core";
import { paths } from "../paths.ts";
import { useProject } from "../state/use-project.ts";
import { Notice } from "../ui/Notice.tsx";
import { AppLink } from "./AppLink.tsx";

/** A write was sent and its answer never came: sending it again might do it twice. */
export function UnknownOutcomeNotice({ runId }: { runId: string | null }) {
  const projectId = useProject();
  if (runId === null) return null;
  return (
    <Notice
      tone="warn"
      action={
        <Button component={AppLink} to={paths.run(projectId, runId)} size="compact-sm" variant="default">
          Open the run
        </Button>
      }
    >
      The request was sent, and its response was lost. It may have taken effect: look at the run before you try again.
    </Notice>
  );
}
