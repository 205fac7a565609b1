import { Anchor, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { paths } from "../../../paths.ts";
import { AppLink } from "../../../shell/AppLink.tsx";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useProject } from "../../../state/use-project.ts";
import { JsonView } from "../../../ui/JsonView.tsx";
import { duration } from "../../../ui/times/duration.ts";
import type { RunRecord } from "../../runs/describe-status.ts";
import { OutputView } from "../../runs/detail/OutputView.tsx";
import { StatusBadge } from "../../runs/StatusBadge.tsx";
import type { Names } from "../../runs/use-names.ts";
import { type CallView, childRunOf, stateOf } from "./turns.ts";

/** A call of the agent: what went in, what came out, how it stands, and where the run shows more. */
export function CallCard({ call, run, names }: { call: CallView; run: RunRecord; names: Names }) {
  const projectId = useProject();
  const { step, input, position } = call;
  const state = stateOf(call, run.status);
  const child = childRunOf(call);
  const title = names.find(step?.step ?? call.name) ?? call.name.replaceAll("_", " ");
  const took =
    step?.started_at && step.finished_at
      ? duration(new Date(step.finished_at).getTime() - new Date(step.started_at).getTime())
      : "";
  const to = child === null ? `${paths.run(projectId, run.run_id)}?step=${position ?? 0}` : paths.run(projectId, child);
  return (
    <details className="call" open={state === "failed" || state === "outcome_unknown"}>
      <summary className="call-head">
        <Text span fw={600} size="sm" className="call-name">
          {title}
        </Text>
        <StatusBadge status={state} />
        <Text span size="sm" c="dimmed">
          {took}
        </Text>
      </summary>
      <Stack gap="sm" p="sm">
        <ProblemNotice problem={step?.problem} tone={state === "outcome_unknown" ? "warn" : "bad"} />
        <Part title="Input">
          <JsonView value={input} label={`Input of ${title}`} />
        </Part>
        {step ? (
          <Part title="Output">
            <OutputView runId={run.run_id} value={step.output} large={step.large_output} label={`Output of ${title}`} />
          </Part>
        ) : null}
        {position === null ? null : (
          <Group>
            <Anchor component={AppLink} to={to} size="sm">
              {child === null ? "Open in the run" : "Open the tool's run"}
            </Anchor>
          </Group>
        )}
      </Stack>
    </details>
  );
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <div>
    <Text size="xs" c="dimmed" mb={4}>
      {title}
    </Text>
    {children}
  </div>
);
