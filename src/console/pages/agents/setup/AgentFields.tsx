import { Stack, Textarea, TextInput } from "@mantine/core";
import type { FieldMistake } from "../../../../client/problem.ts";
import { Section } from "../../../ui/Section.tsx";
import { mistakeAt } from "../../tools/mistakes-by-field.ts";
import type { AgentDraft } from "../agent-draft.ts";
import { BoundsFields } from "./BoundsFields.tsx";
import { EventRuleFields } from "./EventRuleFields.tsx";
import { StepFields } from "./StepFields.tsx";
import { ToolsField } from "./ToolsField.tsx";

interface AgentFieldsProps {
  draft: AgentDraft;
  onChange: (draft: AgentDraft) => void;
  mistakes: readonly FieldMistake[];
}

/** Everything that makes an agent. */
export function AgentFields({ draft, onChange, mistakes }: AgentFieldsProps) {
  const set = (change: Partial<AgentDraft>) => onChange({ ...draft, ...change });
  return (
    <>
      <Section title="What it is to do">
        <Stack gap="sm">
          <TextInput
            label="Name"
            value={draft.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
            error={mistakeAt(mistakes, "/name")}
            maxLength={200}
            required
            dir="auto"
          />
          <Textarea
            label="Instructions"
            description="In plain words: what to look at, what to do, when to stop. Without instructions it follows its rules alone."
            value={draft.instructions}
            onChange={(event) => set({ instructions: event.currentTarget.value })}
            error={mistakeAt(mistakes, "/instructions")}
            maxLength={50_000}
            autosize
            minRows={4}
            maxRows={24}
            dir="auto"
          />
        </Stack>
      </Section>
      <Section
        title="What it may use"
        lead="It can use nothing else. What strangers write may reach it: give it nothing that you would not let a stranger ask for."
      >
        <StepFields steps={draft.steps} onChange={(steps) => set({ steps })} mistakes={mistakes} />
        <ToolsField tools={draft.tools} onChange={(tools) => set({ tools })} mistakes={mistakes} />
      </Section>
      <BoundsFields draft={draft} set={set} mistakes={mistakes} />
      <EventRuleFields rules={draft.rules} onChange={(rules) => set({ rules })} mistakes={mistakes} />
    </>
  );
}
