import { Button, Group, Select, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { LazySchemaForm } from "../../../forms/LazySchemaForm.tsx";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useDraft } from "../../../state/use-draft.ts";
import { useSearchState } from "../../../state/use-search-state.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Section } from "../../../ui/Section.tsx";
import { mistakesAt } from "../mistakes-by-field.ts";
import type { Tool } from "../tool.ts";
import { RunView } from "./RunView.tsx";

/** "The form made from `params_schema`, progress while it runs, the result drawn." */
export function UseTab({ tool }: { tool: Tool }) {
  const [params, setParams, clearParams] = useDraft<Record<string, unknown>>(`use.${tool.tool_id}`, {});
  const [runId, setRunId] = useSearchState("run");
  const [version, setVersion] = useState<"published" | "draft">(
    tool.published_version === null ? "draft" : "published",
  );
  const start = useWrite("/latest/tools/{tool_id}/trigger_async", {
    changes: ["/latest/runs/list"],
    onDone: ({ run_id }) => setRunId(run_id),
  });
  const run = (value: Record<string, unknown>) => start.run({ tool_id: tool.tool_id, params: value, version });
  const hasParams = Object.keys((tool.params_schema.properties as object | undefined) ?? {}).length > 0;
  const submit = (
    <Group gap="sm" mt="md" align="end">
      <Button
        type={hasParams ? "submit" : "button"}
        loading={start.isRunning}
        {...(hasParams ? {} : { onClick: () => run({}) })}
      >
        Run the tool
      </Button>
      {tool.published_version === null ? null : (
        <Select
          aria-label="Version to run"
          data={[
            { value: "published", label: `Version ${tool.published_version}` },
            { value: "draft", label: "The saved draft" },
          ]}
          value={version}
          onChange={(value) => value && setVersion(value as "published" | "draft")}
          allowDeselect={false}
          w="11rem"
        />
      )}
      {hasParams && Object.keys(params).length > 0 ? (
        <Button variant="subtle" onClick={clearParams}>
          Clear the form
        </Button>
      ) : null}
    </Group>
  );
  return (
    <Stack gap="lg">
      <Section title="Start">
        <ProblemNotice problem={start.problem} />
        {hasParams ? (
          <LazySchemaForm
            name="params"
            schema={tool.params_schema}
            value={params}
            onChange={setParams}
            isChecked
            onSubmit={run}
            {...(start.problem ? { context: { mistakes: mistakesAt(start.problem.errors, "/params") } } : {})}
          >
            {submit}
          </LazySchemaForm>
        ) : (
          <div>
            <Text size="sm" c="dimmed">
              This tool takes no input.
            </Text>
            {submit}
          </div>
        )}
      </Section>
      {runId === "" ? null : <RunView key={runId} runId={runId} />}
    </Stack>
  );
}
