import { useMemo } from "react";
import type { FieldMistake } from "../../../../client/problem.ts";
import { TemplateInput } from "../../../forms/fields/TemplateInput.tsx";
import { Section } from "../../../ui/Section.tsx";
import { mistakesAt } from "../mistakes-by-field.ts";
import type { Definition } from "../tool.ts";
import { type KnownValues, pickableFor, previewOf } from "./template-values.ts";

interface ResultEditorProps {
  definition: Definition;
  known: KnownValues;
  errors: FieldMistake[];
  onChange: (definition: Definition) => void;
}

/** What a run of the tool returns. */
export function ResultEditor({ definition, known, errors, onChange }: ResultEditorProps) {
  const pickable = useMemo(() => pickableFor(definition, definition.steps.length, known, false), [definition, known]);
  const mistakes = Object.values(mistakesAt(errors, "/output")).flat().join(" ");
  const { output } = definition;
  const isText = output === undefined || typeof output === "string";
  const change = (text: string) => {
    const { output: _, ...rest } = definition;
    onChange(text === "" ? rest : { ...rest, output: readOutput(text) });
  };
  return (
    <Section title="Result">
      <TemplateInput
        id="result"
        label="What a run returns"
        description="Empty: the output of the last step."
        value={isText ? (output ?? "") : JSON.stringify(output)}
        onChange={change}
        pickable={pickable}
        preview={(template) => previewOf(template, known)}
        {...(mistakes ? { error: mistakes } : {})}
      />
    </Section>
  );
}

/** An object or a list is written as JSON; anything else is a template. */
function readOutput(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || text.trimStart().startsWith("{{")) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
