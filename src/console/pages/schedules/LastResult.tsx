import { Anchor, Stack, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { useProject } from "../../state/use-project.ts";
import { StateBadge } from "../../ui/StateBadge.tsx";
import { Time } from "../../ui/times/Time.tsx";
import { StatusBadge } from "../runs/StatusBadge.tsx";
import type { Schedule } from "./schedule-draft.ts";

/** The last run that the schedule started, and why nothing was started after it. */
export function LastResult({ schedule }: { schedule: Schedule }) {
  const projectId = useProject();
  const { last_run_id: runId, last_run_at: at, last_run_status: status, last_problem: problem } = schedule;
  return (
    <Stack gap={4}>
      {problem ? (
        <div>
          <StateBadge tone="warn" text={problem.code === "missed" ? "Missed" : "Not started"} />
          <Text size="xs" c="dimmed" mt={2} className="anywhere">
            {problem.detail}
          </Text>
        </div>
      ) : null}
      {runId === null ? (
        problem ? null : (
          <Text size="sm" c="dimmed">
            Not run yet
          </Text>
        )
      ) : (
        <Anchor component={AppLink} to={paths.run(projectId, runId)} size="sm" underline="hover">
          {status ? <StatusBadge status={status} /> : "Run"} <Time at={at} />
        </Anchor>
      )}
    </Stack>
  );
}
