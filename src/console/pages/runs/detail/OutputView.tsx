import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useRead } from "../../../state/use-read.ts";
import { JsonView } from "../../../ui/JsonView.tsx";
import { bytes } from "../../../ui/times/duration.ts";
import type { RunRecord } from "../describe-status.ts";

interface OutputViewProps {
  runId: string;
  value: unknown;
  large: RunRecord["large_output"];
  label: string;
}

/** An output. Of a large one the beginning is shown; the whole is read on request. */
export function OutputView({ runId, value, large, label }: OutputViewProps) {
  if (large) return <LargeOutput runId={runId} large={large} label={label} />;
  if (value === null || value === undefined) {
    return (
      <Text size="sm" c="dimmed">
        No output.
      </Text>
    );
  }
  return <JsonView value={value} label={label} />;
}

function LargeOutput({
  runId,
  large,
  label,
}: {
  runId: string;
  large: NonNullable<OutputViewProps["large"]>;
  label: string;
}) {
  const [isWanted, setWanted] = useState(false);
  const whole = useRead(
    "/latest/runs/{run_id}/output",
    { run_id: runId, handle: large.handle },
    { when: isWanted, staleTime: Number.POSITIVE_INFINITY },
  );
  if (whole.data) return <JsonView value={whole.data.output} label={label} />;
  return (
    <Stack gap="xs">
      <ProblemNotice problem={whole.error} onRetry={() => void whole.refetch()} />
      <JsonView value={`${large.preview}\n…`} label={`Beginning of ${label.toLowerCase()}`} />
      <Group gap="xs">
        <Button variant="default" size="compact-sm" onClick={() => setWanted(true)} loading={whole.isFetching}>
          Load the whole output ({bytes(large.bytes)})
        </Button>
      </Group>
    </Stack>
  );
}
