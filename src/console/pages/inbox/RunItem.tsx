import { Anchor, Group, Skeleton, Stack, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useEvery } from "../../state/use-live.ts";
import { useProject } from "../../state/use-project.ts";
import { useRead } from "../../state/use-read.ts";
import { Copy } from "../../ui/files/Copy.tsx";
import { Decision } from "../runs/decisions/Decision.tsx";

const everyMilliseconds = 3000;

/** A run that waits for an answer, read whole: the request that is shown is the one that the answer names. */
export function RunItem({ runId, onDone }: { runId: string; onDone: () => void }) {
  const projectId = useProject();
  const read = useRead("/latest/runs/{run_id}/get", { run_id: runId }, { every: useEvery(everyMilliseconds) });
  return (
    <Stack gap="md">
      <Group gap="xs">
        <Text span size="xs" ff="monospace" c="dimmed" className="anywhere">
          {runId}
        </Text>
        <Copy text={runId} label="Copy the id" variant="subtle" />
        <Anchor component={AppLink} to={paths.run(projectId, runId)} size="sm">
          Open the run
        </Anchor>
      </Group>
      <ProblemNotice problem={read.error} onRetry={() => void read.refetch()} />
      {read.data ? <Decision run={read.data} hasKeys onDone={onDone} /> : null}
      {read.data === undefined && !read.error ? <Skeleton height={320} aria-label="Loading the run" /> : null}
    </Stack>
  );
}
