import { Skeleton } from "@mantine/core";
import { useMemo } from "react";
import type { FieldMistake } from "../../../../client/problem.ts";
import type { FormContext, PickableGroup } from "../../../forms/form-context.ts";
import { LazySchemaForm } from "../../../forms/LazySchemaForm.tsx";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useStepFields } from "../../../state/use-step-fields.ts";
import { mistakesAt } from "../mistakes-by-field.ts";
import type { ToolStep } from "../tool.ts";
import { toolWords } from "./built-in-steps.ts";
import type { Preview } from "./template-values.ts";

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
  const word = toolWords[step.step];
  const { connection_id: account, input } = step;
  const fields = useStepFields(step.step, account, input, word === undefined);
  const { options, loadOptions, optionsKey, problem } = fields;
  const context = useMemo<FormContext>(
    () => ({
      mistakes: mistakesAt(errors, `/steps/${index}/input`),
      options,
      loadOptions,
      optionsKey,
      pickable,
      preview,
    }),
    [errors, index, options, loadOptions, optionsKey, pickable, preview],
  );
  if (problem) return <ProblemNotice problem={problem} onRetry={fields.refetch} />;
  const schema = word?.schema ?? fields.schema;
  if (!schema) return <Skeleton height={120} role="status" aria-label="Loading the fields" />;
  return <LazySchemaForm name={`step-${index}`} schema={schema} value={input} onChange={onChange} context={context} />;
}
