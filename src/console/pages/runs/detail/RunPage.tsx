import { Button, Skeleton, Stack } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { paths } from "../../../paths.ts";
import { AppLink } from "../../../shell/AppLink.tsx";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useEvery } from "../../../state/use-live.ts";
import { useProject } from "../../../state/use-project.ts";
import { useRead } from "../../../state/use-read.ts";
import { useRole } from "../../../state/use-who.ts";
import { CodeWords } from "../../../ui/CodeWords.tsx";
import { JsonView } from "../../../ui/JsonView.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { Page } from "../../../ui/Page.tsx";
import { Section } from "../../../ui/Section.tsx";
import { Decision } from "../decisions/Decision.tsx";
import { hasEnded, type RunRecord } from "../describe-status.ts";
import { type Names, useNames } from "../use-names.ts";
import { AutomaticWaitNotice } from "./AutomaticWaitNotice.tsx";
import { CancelRun } from "./CancelRun.tsx";
import { OutputView } from "./OutputView.tsx";
import { ReplayRun } from "./ReplayRun.tsx";
import { RunFacts } from "./RunFacts.tsx";
import { RunTimeline } from "./RunTimeline.tsx";

export function RunPage() {
  const { runId = "" } = useParams({ strict: false }) as { runId?: string };
  const projectId = useProject();
  const [every, setEvery] = useState<number | false>(1000);
  const {
    data: run,
    error,
    refetch,
  } = useRead("/latest/runs/{run_id}/get", { run_id: runId }, { every: useEvery(every) });
  useEffect(() => setEvery(run ? pauseOf(run) : 1000), [run]);
  const names = useNames();
  const name = run ? names.find(run.tool_id ?? run.step_id ?? run.agent_id) : null;
  return (
    <Page title={name === null ? "Run" : `Run of ${name}`} actions={run ? <Actions run={run} /> : null}>
      {error ? (
        <>
          <ProblemNotice problem={error} onRetry={() => void refetch()} />
          <div>
            <Button component={AppLink} to={paths.runs(projectId)} variant="default">
              All runs
            </Button>
          </div>
        </>
      ) : null}
      {run ? <RunView run={run} names={names} /> : error ? null : <LoadingRun />}
    </Page>
  );
}

/** How long until the run is read again where no stream tells of changes. A run with many requests is large, so it is read less often. */
function pauseOf(run: RunRecord): number | false {
  if (hasEnded(run.status)) return false;
  const requests = run.steps.reduce((sum, { attempts }) => sum + attempts.length, 0);
  const isBusy = run.status === "running" || run.status === "queued";
  return (isBusy ? 1000 : 2000) + Math.min(8000, requests * 10);
}

function Actions({ run }: { run: RunRecord }) {
  const isEditor = useRole(useProject()).may("editor");
  if (!isEditor) return null;
  return (
    <>
      {hasEnded(run.status) ? null : <CancelRun run={run} />}
      <ReplayRun run={run} />
    </>
  );
}

function RunView({ run, names }: { run: RunRecord; names: Names }) {
  return (
    <Stack gap="lg">
      <RunFacts run={run} names={names} />
      <Decision run={run} />
      <AutomaticWaitNotice run={run} />
      {run.status === "failed" ? <ProblemNotice problem={run.problem} /> : null}
      {run.warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          <CodeWords text={warning} />
        </Notice>
      ))}
      <Section title="Timeline">
        <RunTimeline run={run} names={names} />
      </Section>
      {run.step_id === null ? (
        <Section title="Output">
          <OutputView runId={run.run_id} value={run.output} large={run.large_output} label="Output of the run" />
        </Section>
      ) : null}
      <Section title={run.step_id === null ? "Params" : "Input"}>
        <JsonView value={run.params} label={run.step_id === null ? "Params of the run" : "Input of the step"} />
      </Section>
    </Stack>
  );
}

const LoadingRun = () => (
  <Stack gap="md" role="status" aria-busy="true" aria-label="Loading the run">
    <Skeleton height={44} />
    <Skeleton height={180} />
    <Skeleton height={120} />
  </Stack>
);
