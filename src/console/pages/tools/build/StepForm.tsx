import { Skeleton } from "@mantine/core";
import { useCallback, useMemo } from "react";
import type { FieldMistake } from "../../../../client/problem.ts";
import type { FormContext, PickableGroup } from "../../../forms/form-context.ts";
import { SchemaForm } from "../../../forms/SchemaForm.tsx";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { callFor, useProject } from "../../../state/call.ts";
import { useRead } from "../../../state/use-read.ts";
import { mistakesAt } from "../mistakes.ts";
import type { ToolStep } from "../tool.ts";
import { toolWords } from "./tool-words.ts";
import type { Preview } from "./values.ts";

interface StepFormProps {
  step: ToolStep;
  index: number;
  errors: FieldMistake[];
  pickable: PickableGroup[];
  preview: (template: string) => Preview;
  onChange: (input: Record<string, unknown>) => void;
}

/** The fields of one step, made from its JSON Schema, with live options from the system. */
export function StepForm({ step, index, errors, pickable, preview, onChange }: StepFormProps) {
  const projectId = useProject();
  const word = toolWords[step.step];
  const { data, error, refetch } = useRead(
    "/latest/steps/{step_id}/get",
    { step_id: step.step },
    { when: word === undefined, staleTime: 600_000 },
  );
  const { connection_id: account, input, step: stepId } = step;
  const loadOptions = useCallback(
    async (field: string, query: string) => {
      const asked = { step_id: stepId, field, connection_id: account ?? "", query, input: plainOnly(input) };
      return (await callFor(projectId)("/latest/steps/{step_id}/options", asked)).results;
    },
    [projectId, stepId, account, input],
  );
  const context = useMemo<FormContext>(
    () => ({
      mistakes: mistakesAt(errors, `/steps/${index}/input`),
      options: data?.options ?? [],
      loadOptions: account === undefined ? null : loadOptions,
      optionsKey: `${projectId} ${stepId} ${account ?? ""} ${JSON.stringify(plainOnly(input).project ?? plainOnly(input).property_id ?? "")}`,
      pickable,
      preview,
    }),
    [errors, index, data, account, loadOptions, projectId, stepId, input, pickable, preview],
  );
  if (error) return <ProblemNotice problem={error} onRetry={() => void refetch()} />;
  const schema = word?.schema ?? data?.input_schema;
  if (!schema) return <Skeleton height={120} role="status" aria-label="Loading the fields" />;
  return <SchemaForm name={`step-${index}`} schema={schema} value={input} onChange={onChange} context={context} />;
}

/** Templates say nothing to the system that is asked for options. */
const plainOnly = (input: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => !(typeof value === "string" && value.includes("{{"))));
