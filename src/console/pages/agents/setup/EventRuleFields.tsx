import { Autocomplete, Button, Group, Select, Stack, Textarea } from "@mantine/core";
import type { FieldMistake } from "../../../../client/problem.ts";
import { eventNames, eventSenders } from "../../../state/systems.ts";
import { Section } from "../../../ui/Section.tsx";
import { useNames } from "../../runs/use-names.ts";
import { mistakeAt, mistakesAt } from "../../tools/mistakes-by-field.ts";
import { type RuleDraft, readRuleParams } from "../agent-draft.ts";

interface EventRuleFieldsProps {
  rules: RuleDraft[];
  onChange: (rules: RuleDraft[]) => void;
  mistakes: readonly FieldMistake[];
}

/** Which event starts which tool. */
export function EventRuleFields({ rules, onChange, mistakes }: EventRuleFieldsProps) {
  const names = useNames();
  return (
    <Section
      title="Rules for events"
      lead="An event starts the tool of every rule that matches. If none matches, the instructions decide."
      actions={
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => onChange([...rules, { on: eventSenders[0]?.first ?? "*", tool_id: "", params: "" }])}
        >
          Add a rule
        </Button>
      }
    >
      {rules.map((rule, index) => {
        const set = (change: Partial<RuleDraft>) => onChange(rules.with(index, { ...rule, ...change }));
        const inParams = Object.values(mistakesAt(mistakes, `/rules/${index}/params`)).flat();
        const isRead = readRuleParams(rule.params) !== null;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a rule is its position.
          <fieldset key={index} className="rule">
            <legend>Rule {index + 1}</legend>
            <Stack gap="sm">
              <Group gap="sm" align="start">
                <Autocomplete
                  label="When this event arrives"
                  description="A sender's own name works too; * is every event."
                  data={[...eventNames, "*"]}
                  value={rule.on}
                  onChange={(on) => set({ on })}
                  error={mistakeAt(mistakes, `/rules/${index}/on`)}
                  inputWrapperOrder={["label", "input", "description", "error"]}
                  flex="1 1 14rem"
                />
                <Select
                  label="Start this tool"
                  placeholder="Choose a tool"
                  data={names.tools}
                  value={rule.tool_id || null}
                  onChange={(tool_id) => tool_id && set({ tool_id })}
                  error={mistakeAt(mistakes, `/rules/${index}/tool_id`)}
                  searchable
                  allowDeselect={false}
                  flex="1 1 14rem"
                />
              </Group>
              <Textarea
                label="With these params"
                description={`As JSON; {{event}} is the event: { "id": "${eventSenders[0]?.expression ?? "{{event.payload.id}}"}" }. Empty: the whole event.`}
                value={rule.params}
                onChange={(event) => set({ params: event.currentTarget.value })}
                error={isRead ? inParams.join(" ") || null : "This is not a JSON object yet."}
                autosize
                minRows={2}
                maxRows={12}
                spellCheck={false}
                className="mono-input"
              />
              <Group justify="flex-end">
                <Button
                  variant="subtle"
                  color="red"
                  size="compact-sm"
                  aria-label={`Remove rule ${index + 1}`}
                  onClick={() => onChange(rules.toSpliced(index, 1))}
                >
                  Remove
                </Button>
              </Group>
            </Stack>
          </fieldset>
        );
      })}
    </Section>
  );
}
