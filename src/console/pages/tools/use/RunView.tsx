import { Button, Group, List, Loader, Stack, Text } from "@mantine/core";
import { paths } from "../../../paths.ts";
import { AppLink } from "../../../shell/AppLink.tsx";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useEvery } from "../../../state/use-live.ts";
import { useProject } from "../../../state/use-project.ts";
import { useRead } from "../../../state/use-read.ts";
import { isForPerson } from "../../../state/waits-for-person.ts";
import { Notice } from "../../../ui/Notice.tsx";
import { Section } from "../../../ui/Section.tsx";
import { toolWords } from "../../runs/describe-status.ts";
import { CancelRun } from "../../runs/detail/CancelRun.tsx";
import { StatusBadge } from "../../runs/StatusBadge.tsx";
import { useNames } from "../../runs/use-names.ts";
import type { Run } from "../tool.ts";
import { ResultView } from "./ResultView.tsx";

const ended = new Set(["succeeded", "failed", "cancelled"]);

/** One run while it is in progress, and its result. */
export function RunView({ runId }: { runId: string }) {
  const projectId = useProject();
  const read = useRead("/latest/runs/{run_id}/get", { run_id: runId }, { every: useEvery(1000), keep: true });
  const run = read.data;
  const names = useNames();
  const isOver = run !== undefined && ended.has(run.status);
  return (
    <Section
      title="Run"
      lead={<span className="mono anywhere">{runId}</span>}
      actions={
        <>
          {run && !isOver ? <CancelRun run={run} isSmall /> : null}
          <Button component={AppLink} to={paths.run(projectId, runId)} variant="default" size="compact-sm">
            Open the run
          </Button>
        </>
      }
    >
      <ProblemNotice problem={read.error} onRetry={() => void read.refetch()} />
      {run ? (
        <Stack gap="md">
          <Group gap="sm" role="status" aria-live="polite">
            <StatusBadge status={run.status} />
            {isOver ? null : <Loader size={16} role="status" aria-label="It runs" />}
            {run.waiting_for ? <Text size="sm">{run.waiting_for.detail}</Text> : null}
          </Group>
          <WaitsForPerson run={run} projectId={projectId} />
          <List listStyleType="none" spacing={6} aria-label="Steps of the run">
            {run.steps.map((step) => (
              <List.Item key={step.name}>
                <Group gap="sm">
                  <StatusBadge status={step.status} />
                  <Text size="sm" fw={600} dir="auto">
                    {step.name}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {names.find(step.step) ?? toolWords[step.step] ?? step.step}
                  </Text>
                </Group>
                {step.problem ? (
                  <Text size="sm" c="var(--bad)" mt={2}>
                    {step.problem.detail}
                  </Text>
                ) : null}
              </List.Item>
            ))}
          </List>
          <ProblemNotice problem={run.problem} />
          {isOver && run.status === "succeeded" ? <ResultView run={run} /> : null}
        </Stack>
      ) : null}
    </Section>
  );
}

function WaitsForPerson({ run, projectId }: { run: Run; projectId: string }) {
  const isWaiting = run.status === "outcome_unknown" || isForPerson(run.waiting_for?.kind);
  if (!isWaiting) return null;
  return (
    <Notice
      tone="warn"
      action={
        <Button
          component={AppLink}
          to={`${paths.inbox(projectId)}?item=${itemOf(run)}`}
          size="compact-sm"
          variant="default"
        >
          Open the inbox
        </Button>
      }
    >
      This run waits for a person. The inbox shows what is asked.
    </Notice>
  );
}

/** The key of the run's item in the inbox. */
const itemOf = ({ run_id, waiting_for: wait }: Run): string =>
  wait?.kind === "approval" ? `${run_id}.${wait.step ?? ""}` : run_id;
