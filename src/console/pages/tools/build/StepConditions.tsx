import { Checkbox, Group, NumberInput, Stack, TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import type { FieldMistake } from "../../../../client/problem.ts";
import { TemplateInput } from "../../../forms/fields/TemplateInput.tsx";
import type { PickableGroup } from "../../../forms/form-context.ts";
import { mistakeAt } from "../mistakes-by-field.ts";
import type { ToolStep } from "../tool.ts";
import { isToolWord } from "./built-in-steps.ts";
import { withMember } from "./edit-definition.ts";
import type { Preview } from "./template-values.ts";

interface StepConditionsProps {
  step: ToolStep;
  index: number;
  errors: FieldMistake[];
  pickable: PickableGroup[];
  preview: (template: string) => Preview;
  onChange: (step: ToolStep) => void;
  onRename: (name: string) => void;
}

/** When a step runs, how often, and what happens when it fails. */
export function StepConditions({ step, index, errors, pickable, preview, onChange, onRename }: StepConditionsProps) {
  const at = `/steps/${index}`;
  const shared = { pickable, preview };
  const errorOf = (member: string) => {
    const text = mistakeAt(errors, `${at}/${member}`);
    return text === undefined ? {} : { error: text };
  };
  return (
    <Stack gap="sm">
      <NameInput name={step.name} onRename={onRename} {...errorOf("name")} />
      <TemplateInput
        id={`step-${index}-if`}
        label="Only if"
        description="The step is skipped where this is false, such as {{ params.count > 0 }}. Empty: always."
        value={step.if ?? ""}
        onChange={(text) => onChange(withMember(step, "if", text))}
        {...shared}
        {...errorOf("if")}
      />
      {isToolWord(step.step) ? null : (
        <TemplateInput
          id={`step-${index}-foreach`}
          label="For each of"
          description="A list: the step runs once for each item, which is {{foreach.item}}. Empty: once."
          value={typeof step.foreach === "string" ? step.foreach : step.foreach ? JSON.stringify(step.foreach) : ""}
          onChange={(text) => onChange(withMember(step, "foreach", readList(text)))}
          {...shared}
          {...errorOf("foreach")}
        />
      )}
      <Group gap="lg" align="start">
        <NumberInput
          label="Seconds at most"
          description="Then it counts as failed."
          min={1}
          max={86_400}
          value={step.timeout ?? ""}
          onChange={(value) => onChange(withMember(step, "timeout", typeof value === "number" ? value : undefined))}
          w="12rem"
          {...errorOf("timeout")}
        />
        <Checkbox
          label="Continue when it fails"
          description="Otherwise the run ends there."
          mt="1.6rem"
          checked={step.continue_on_error ?? false}
          onChange={(event) =>
            onChange(withMember(step, "continue_on_error", event.currentTarget.checked || undefined))
          }
        />
      </Group>
    </Stack>
  );
}

/** Renames when the field is left: half a name could be another step's. */
function NameInput({ name, onRename, error }: { name: string; onRename: (name: string) => void; error?: string }) {
  const [text, setText] = useState(name);
  useEffect(() => setText(name), [name]);
  const commit = () => text !== name && onRename(text);
  return (
    <TextInput
      label="Name"
      description="Later steps use it: {{steps.name.output}}. Small letters, digits and _."
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit();
      }}
      maxLength={64}
      spellCheck={false}
      {...(error ? { error } : {})}
    />
  );
}

function readList(text: string): string | unknown[] {
  if (!text.trim().startsWith("[")) return text;
  try {
    return JSON.parse(text) as unknown[];
  } catch {
    return text;
  }
}
