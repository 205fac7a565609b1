import { Button, Group, Stack, Text } from "@mantine/core";
import type { OutputOf } from "../../../../client/wire.ts";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useWrite } from "../../../state/use-write.ts";
import { CodeWords } from "../../../ui/CodeWords.tsx";
import { JsonView } from "../../../ui/JsonView.tsx";
import { StatusBadge } from "../../runs/StatusBadge.tsx";
import type { ToolStep } from "../tool.ts";
import { OutputOfStep } from "./OutputOfStep.tsx";
import { fillIn, type KnownValues } from "./template-values.ts";
import type { Outputs } from "./use-known-values.ts";

interface TryStepProps {
  step: ToolStep;
  known: KnownValues;
  outputs: Outputs;
}

type Answer = OutputOf<"/latest/steps/{step_id}/run">;
type Preview = Extract<Answer, { request: unknown }>;
type Done = Exclude<Answer, Preview>;

/** "Run one step alone and pin its output; dry run shows the exact request and cost." */
export function TryStep({ step, known, outputs }: TryStepProps) {
  const run = useWrite("/latest/steps/{step_id}/run", {
    changes: ["/latest/runs/list", "/latest/limits/list"],
    onDone: (answer) => {
      if (!("run_id" in answer) || answer.status !== "succeeded") return;
      // In the tool, a step that is repeated returns a list. Alone, it ran for the first item.
      outputs.keep(step.name, step.foreach === undefined ? answer.output : [answer.output]);
    },
  });
  const { value, missing } = fillIn(step.input, known);
  const why = whyNot(step, missing);
  const start = (isDry: boolean) =>
    run.run({
      step_id: step.step,
      connection_id: step.connection_id ?? "",
      input: value as Record<string, unknown>,
      dry_run: isDry,
    });
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Button
          variant="default"
          size="compact-sm"
          disabled={why !== null}
          loading={run.isRunning}
          onClick={() => start(true)}
        >
          Dry run
        </Button>
        <Button
          variant="default"
          size="compact-sm"
          disabled={why !== null}
          loading={run.isRunning}
          onClick={() => start(false)}
        >
          Run this step
        </Button>
        <Text size="sm" c="dimmed">
          {why ?? "A dry run sends nothing. Running it is real, with the values shown in the chips."}
        </Text>
      </Group>
      <ProblemNotice problem={run.problem} />
      {run.output ? (
        "request" in run.output ? (
          <DryRun shown={run.output as Preview} />
        ) : (
          <Ran answer={run.output as Done} />
        )
      ) : null}
      <OutputOfStep name={step.name} outputs={outputs} />
    </Stack>
  );
}

function whyNot(step: ToolStep, missing: string | null): string | null {
  if (step.connection_id === undefined) return "Choose an account first.";
  if (missing === null) return null;
  return `The value of ${missing} is not known yet: run the steps before it, or the whole tool.`;
}

const DryRun = ({ shown }: { shown: Preview }) => (
  <Stack gap="xs" role="region" aria-label="Dry run">
    <Text size="sm" fw={600}>
      This would be sent
    </Text>
    <Text className="mono anywhere" size="sm">
      {shown.request.method} {shown.request.url}
    </Text>
    <JsonView
      value={{
        headers: shown.request.headers,
        ...(shown.request.body === undefined ? {} : { body: shown.request.body }),
      }}
      label="Request"
    />
    <Text size="sm">
      Cost: {shown.cost.calls} {shown.cost.calls === 1 ? "call" : "calls"}
      {shown.cost.tokens === undefined ? "" : `, about ${shown.cost.tokens} tokens`}
      {shown.cost.note ? `. ${shown.cost.note}` : ""}
    </Text>
    <Text size="sm">
      {shown.policy.allowed
        ? "The account's policy allows it."
        : `The account's policy refuses it: ${shown.policy.reason}`}
    </Text>
    {shown.warnings.map((warning) => (
      <Text size="sm" key={warning}>
        <CodeWords text={warning} />
      </Text>
    ))}
    <ProblemNotice problem={shown.problem} />
  </Stack>
);

/** How it ended. What it returned stands below. */
const Ran = ({ answer }: { answer: Done }) => (
  <Stack gap="xs">
    <Group gap="sm" role="status">
      <StatusBadge status={answer.status} />
    </Group>
    <ProblemNotice problem={answer.problem} />
    {answer.status === "succeeded" || answer.output === null ? null : (
      <JsonView value={answer.output} label="What the system returned" />
    )}
  </Stack>
);
