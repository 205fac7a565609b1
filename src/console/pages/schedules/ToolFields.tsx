import { Anchor, Select, Skeleton, Stack, Text } from "@mantine/core";
import type { FieldMistake } from "../../../client/problem.ts";
import { LazySchemaForm } from "../../forms/LazySchemaForm.tsx";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useProject } from "../../state/use-project.ts";
import { useRead } from "../../state/use-read.ts";
import { useNames } from "../runs/use-names.ts";
import { mistakeAt, mistakesAt } from "../tools/mistakes-by-field.ts";

interface ToolFieldsProps {
  toolId: string;
  /** False: the schedule exists, and keeps its tool. */
  isOpen: boolean;
  params: Record<string, unknown>;
  mistakes: readonly FieldMistake[];
  onTool: (toolId: string) => void;
  onParams: (params: Record<string, unknown>) => void;
}

/** Which tool is started, and with what: the form is made from the tool's `params_schema`. */
export function ToolFields({ toolId, isOpen, params, mistakes, onTool, onParams }: ToolFieldsProps) {
  const projectId = useProject();
  const names = useNames();
  const tool = useRead("/latest/tools/{tool_id}/get", { tool_id: toolId }, { when: toolId !== "" });
  const schema = tool.data?.params_schema;
  const hasParams = Object.keys((schema?.properties as object | undefined) ?? {}).length > 0;
  const options = names.tools.some(({ value }) => value === toolId)
    ? names.tools
    : [...names.tools, ...(tool.data ? [{ value: toolId, label: tool.data.title }] : [])];
  return (
    <Stack gap="sm">
      <Select
        label="Tool"
        placeholder="Choose a tool"
        data={options}
        value={toolId || null}
        onChange={(next) => next && onTool(next)}
        searchable
        required
        allowDeselect={false}
        disabled={!isOpen}
        {...(isOpen ? {} : { description: "A schedule keeps its tool. For another one, create another schedule." })}
        error={mistakeAt(mistakes, "/tool_id")}
      />
      {isOpen && names.tools.length === 0 ? (
        <Text size="sm" c="dimmed">
          There is no tool yet.{" "}
          <Anchor component={AppLink} to={`${paths.tools(projectId)}?new=1`} size="sm" underline="always">
            Create a tool
          </Anchor>{" "}
          first.
        </Text>
      ) : null}
      <ProblemNotice problem={tool.error} onRetry={() => void tool.refetch()} />
      {toolId !== "" && tool.isLoading ? <Skeleton height={54} aria-label="Loading the tool" /> : null}
      {schema && hasParams ? (
        <LazySchemaForm
          key={toolId}
          name="schedule-params"
          schema={schema}
          value={params}
          onChange={onParams}
          isChecked
          context={{ mistakes: mistakesAt(mistakes, "/params") }}
        />
      ) : null}
      {schema && !hasParams ? (
        <Text size="sm" c="dimmed">
          This tool takes no input.
        </Text>
      ) : null}
    </Stack>
  );
}
