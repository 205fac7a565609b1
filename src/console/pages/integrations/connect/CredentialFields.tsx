import { Anchor, List, PasswordInput, Stack, Text, Textarea, TextInput } from "@mantine/core";
import type { SignalboxProblem } from "../../../../client/problem.ts";
import type { CredentialField, PasteForm } from "../../../../systems/presentation.ts";

interface CredentialFieldsProps {
  form: PasteForm;
  fields: CredentialField[];
  values: Record<string, string>;
  problem: SignalboxProblem | null;
  onChange: (name: string, value: string) => void;
}

/** Where to find the credentials at the vendor, and a field for each. */
export function CredentialFields({ form, fields, values, problem, onChange }: CredentialFieldsProps) {
  const mistakeAt = (name: string) =>
    problem?.errors.find(({ pointer }) => pointer === `#/credentials/${name}`)?.detail;
  return (
    <Stack gap="md">
      <div className="help">
        <Text size="sm" fw={600}>
          Where to find it
        </Text>
        <List type="ordered" size="sm" spacing={4} mt={4}>
          {form.steps.map((step) => (
            <List.Item key={step}>{step}</List.Item>
          ))}
        </List>
        {form.link ? (
          <Anchor href={form.link.href} target="_blank" rel="noreferrer" size="sm" underline="always">
            {form.link.text} (opens a new tab)
          </Anchor>
        ) : null}
      </div>
      {fields.map(({ name, label, help, kind, isOptional }) => {
        const common = {
          label: isOptional ? `${label} (optional)` : label,
          description: help,
          value: values[name] ?? "",
          error: mistakeAt(name),
          spellCheck: false,
          autoComplete: "off",
        };
        if (kind === "file") {
          return (
            <Textarea
              key={name}
              {...common}
              autosize
              minRows={4}
              maxRows={10}
              onChange={(event) => onChange(name, event.currentTarget.value)}
            />
          );
        }
        const Field = kind === "secret" ? PasswordInput : TextInput;
        return <Field key={name} {...common} onChange={(event) => onChange(name, event.currentTarget.value)} />;
      })}
    </Stack>
  );
}
