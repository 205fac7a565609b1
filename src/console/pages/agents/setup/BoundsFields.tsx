import { Group, NumberInput, Radio, Stack, TextInput } from "@mantine/core";
import type { FieldMistake } from "../../../../client/problem.ts";
import { useRead } from "../../../state/use-read.ts";
import { Section } from "../../../ui/Section.tsx";
import { mistakeAt } from "../../tools/mistakes-by-field.ts";
import { type AgentDraft, approvals } from "../agent-draft.ts";
import { NoModel } from "../NoModel.tsx";

interface BoundsFieldsProps {
  draft: AgentDraft;
  set: (change: Partial<AgentDraft>) => void;
  mistakes: readonly FieldMistake[];
}

const caps = [
  {
    name: "max_turns",
    label: "Turns",
    meaning: "How often its model may be asked in one run.",
    min: 1,
    max: 100,
  },
  {
    name: "max_tokens",
    label: "Tokens",
    meaning: "Read and written in one run. It bounds what a run costs at the model's server.",
    min: 1_000,
    max: 10_000_000,
  },
  {
    name: "max_minutes",
    label: "Minutes",
    meaning: "How long one run may take, without the time that people take to approve.",
    min: 1,
    max: 1_440,
  },
] as const;

/** The model, when a person is asked, and how much one run may take. */
export function BoundsFields({ draft, set, mistakes }: BoundsFieldsProps) {
  return (
    <>
      <Section title="Model">
        <ModelField
          model={draft.model}
          onChange={(model) => set({ model })}
          hasInstructions={draft.instructions.trim() !== ""}
          error={mistakeAt(mistakes, "/model")}
        />
      </Section>
      <Section
        title="Approval and bounds"
        lead="A run that reaches a bound ends as failed. What it did before stays done."
      >
        <Radio.Group
          label="Ask a person"
          value={draft.approval}
          onChange={(approval) => set({ approval: approval as AgentDraft["approval"] })}
        >
          <Stack gap="xs" mt={6}>
            {approvals.map(({ value, label, meaning }) => (
              <Radio key={value} value={value} label={label} description={meaning} />
            ))}
          </Stack>
        </Radio.Group>
        <Group gap="md" align="start">
          {caps.map(({ name, label, meaning, min, max }) => (
            <NumberInput
              key={name}
              label={label}
              description={meaning}
              value={draft[name]}
              onChange={(value) => set({ [name]: Number(value) || min })}
              error={mistakeAt(mistakes, `/${name}`)}
              min={min}
              max={max}
              clampBehavior="blur"
              allowDecimal={false}
              thousandSeparator=","
              inputWrapperOrder={["label", "input", "description", "error"]}
              flex="1 1 12rem"
            />
          ))}
        </Group>
      </Section>
    </>
  );
}

interface ModelFieldProps {
  model: string;
  onChange: (model: string) => void;
  hasInstructions: boolean;
  error: string | undefined;
}

function ModelField({ model, onChange, hasInstructions, error }: ModelFieldProps) {
  const { data } = useRead("/latest/agents/models", {}, { staleTime: 60_000 });
  const byDefault = data?.default_model ?? null;
  const isMissing = model.trim() === "" && data !== undefined && data.problem !== null;
  return (
    <Stack gap="sm">
      <TextInput
        label="Model"
        description={
          byDefault === null
            ? "openai:<model> or anthropic:<model>"
            : `Empty: ${byDefault}, the default of this server. Or openai:<model>, anthropic:<model>.`
        }
        placeholder={byDefault ?? "openai:…"}
        value={model}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error ?? serverMissing(model, data?.servers)}
        maxLength={200}
        spellCheck={false}
        autoComplete="off"
        className="mono-input"
      />
      {isMissing ? (
        <NoModel missing={data.problem ?? ""}>
          {hasInstructions
            ? "Until then the agent follows its rules, and its instructions have no effect."
            : "Until then the agent follows its rules alone."}
        </NoModel>
      ) : null}
    </Stack>
  );
}

function serverMissing(model: string, servers: readonly string[] | undefined): string | undefined {
  const [, server] = /^(openai|anthropic):/.exec(model.trim()) ?? [];
  if (server === undefined || servers === undefined || servers.includes(server)) return undefined;
  return `The operator of this server has set up no access to ${server}.`;
}
