import { ActionIcon, Button, Checkbox, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import type { FieldMistake } from "../../../../client/problem.ts";
import { Section } from "../../../ui/Section.tsx";
import { mistakesAt } from "../mistakes-by-field.ts";
import { isPlainSchema, type Param, paramsOf, schemaOf } from "./params-schema.ts";

interface ParamsEditorProps {
  schema: Record<string, unknown>;
  errors: FieldMistake[];
  onChange: (schema: Record<string, unknown>) => void;
}

const types = [
  { value: "string", label: "Text" },
  { value: "number", label: "Number" },
  { value: "integer", label: "Whole number" },
  { value: "boolean", label: "Yes or no" },
];

/** What the tool asks for when it is started. */
export function ParamsEditor({ schema, errors, onChange }: ParamsEditorProps) {
  const [params, setParams] = useState<Param[]>(() => paramsOf(schema));
  const sent = useRef(schema);
  useEffect(() => {
    if (sent.current === schema) return;
    sent.current = schema;
    setParams(paramsOf(schema));
  }, [schema]);
  const change = (next: Param[]) => {
    setParams(next);
    sent.current = schemaOf(schema, next);
    onChange(sent.current);
  };
  const mistakes = Object.values(mistakesAt(errors, "/params_schema")).flat();
  const set = (index: number, part: Partial<Param>) =>
    change(params.with(index, { ...(params[index] as Param), ...part }));
  if (!isPlainSchema(schema)) {
    return (
      <Section title="Asked for at the start">
        <Text size="sm">
          The form is made from a schema that is richer than these fields. Edit it in the YAML beside.
        </Text>
      </Section>
    );
  }
  return (
    <Section
      title="Asked for at the start"
      lead="Each becomes a field of the form, and {{params.name}} in the steps."
      actions={
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => change([...params, { name: nextName(params), type: "string", title: "", isRequired: true }])}
        >
          Add a field
        </Button>
      }
    >
      {mistakes.map((text) => (
        <Text key={text} size="sm" c="var(--bad)">
          {text}
        </Text>
      ))}
      {params.length === 0 ? null : (
        <Stack gap="xs">
          {params.map((param, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the name is what is being typed.
            <Group key={index} gap="xs" align="end" role="group" aria-label={`Field ${index + 1}`}>
              <TextInput
                label="Field name"
                value={param.name}
                onChange={(event) => set(index, { name: event.currentTarget.value.replaceAll(/\W/g, "_") })}
                flex="1 1 8rem"
                spellCheck={false}
              />
              <TextInput
                label="Label"
                value={param.title}
                onChange={(event) => set(index, { title: event.currentTarget.value })}
                flex="1 1 8rem"
              />
              <Select
                label="Kind"
                data={types}
                value={param.type}
                onChange={(type) => type && set(index, { type })}
                allowDeselect={false}
                w="9rem"
              />
              <Checkbox
                label="Needed"
                checked={param.isRequired}
                onChange={(event) => set(index, { isRequired: event.currentTarget.checked })}
                pb={8}
              />
              <ActionIcon
                variant="subtle"
                color="red"
                mb={4}
                aria-label={`Remove the field ${param.name}`}
                onClick={() => change(params.toSpliced(index, 1))}
              >
                ×
              </ActionIcon>
            </Group>
          ))}
        </Stack>
      )}
    </Section>
  );
}

function nextName(params: readonly Param[]): string {
  const taken = new Set(params.map(({ name }) => name));
  for (let count = params.length + 1; ; count++) if (!taken.has(`field_${count}`)) return `field_${count}`;
}
