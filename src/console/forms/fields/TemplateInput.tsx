import { Badge, Button, Group, Text, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { PickableGroup } from "../form-context.ts";
import { addExpression, expressionsIn } from "../text-in-braces.ts";
import { PickValue } from "./PickValue.tsx";
import { shortValue } from "./short-value.ts";

export interface TemplateInputProps {
  id: string;
  label: string;
  description?: ReactNode;
  error?: string;
  required?: boolean;
  disabled?: boolean;
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
  pickable: PickableGroup[];
  preview?: (template: string) => { isKnown: boolean; value: unknown };
}

/** Text with values in braces. Below it each value stands as a chip, with what it was in the last run. */
export function TemplateInput({ value, onChange, pickable, preview, ...shared }: TemplateInputProps) {
  const expressions = [...new Set(expressionsIn(value).map((expression) => expression.trim()))];
  return (
    <div>
      <div className="pickable">
        <TextInput
          {...shared}
          className="mono-input"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          spellCheck={false}
        />
        <PickValue
          groups={pickable}
          label={shared.label}
          onPick={(expression) => onChange(addExpression(value, expression))}
        />
      </div>
      {expressions.length > 0 ? (
        <Group gap={6} mt={6}>
          {expressions.map((expression) => {
            const seen = preview?.(`{{${expression}}}`);
            return (
              <Badge key={expression} variant="light" tt="none" className="chip" title={expression}>
                {expression}
                {seen?.isKnown ? <Text span size="xs" c="dimmed">{` = ${shortValue(seen.value)}`}</Text> : null}
              </Badge>
            );
          })}
          {shared.disabled ? null : (
            <Button variant="subtle" size="compact-xs" onClick={() => onChange("")}>
              Clear
            </Button>
          )}
        </Group>
      ) : null}
    </div>
  );
}
