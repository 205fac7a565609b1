import { Button, Fieldset, Stack, Text } from "@mantine/core";
import type { ObjectFieldTemplateProps } from "@rjsf/utils";
import { useState } from "react";
import { CodeWords } from "../ui/CodeWords.tsx";
import type { FormContext } from "./form-context.ts";

const othersShown = 4;

/** An object's members. At the top, members that may stay empty are folded after the first few. */
export function FoldedObject(props: ObjectFieldTemplateProps) {
  const { properties, schema, formData, fieldPathId, title, description, registry, errorSchema } = props;
  const [isWhole, setWhole] = useState(false);
  const isTop = fieldPathId.path.length === 0;
  const { mistakes = {} } = registry.formContext as FormContext;
  const isNeeded = (name: string) =>
    schema.required?.includes(name) ||
    (formData as Record<string, unknown> | undefined)?.[name] !== undefined ||
    (errorSchema as Record<string, unknown> | undefined)?.[name] !== undefined ||
    Object.keys(mistakes).some((path) => path === name || path.startsWith(`${name}/`));
  const seen = properties.filter(({ hidden }) => !hidden);
  const optional = seen.filter(({ name }) => !isNeeded(name));
  const folded = new Set(isTop && !isWhole ? optional.slice(othersShown).map(({ name }) => name) : []);
  const members = (
    <Stack gap="sm">
      {seen
        .filter(({ name }) => !folded.has(name))
        .map(({ name, content }) => (
          <div key={name}>{content}</div>
        ))}
      {folded.size > 0 ? (
        <Button variant="subtle" size="compact-sm" className="start" onClick={() => setWhole(true)}>
          Show {folded.size} more {folded.size === 1 ? "field" : "fields"}
        </Button>
      ) : null}
    </Stack>
  );
  if (isTop) return members;
  return (
    <Fieldset legend={title} className="field-group">
      {typeof description === "string" && description.trim() !== "" ? (
        <Text size="xs" c="dimmed" mb="xs">
          <CodeWords text={description} />
        </Text>
      ) : null}
      {members}
    </Fieldset>
  );
}
