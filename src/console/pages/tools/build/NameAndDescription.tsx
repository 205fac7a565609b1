import { Group, Textarea, TextInput } from "@mantine/core";
import type { FieldMistake } from "../../../../client/problem.ts";
import { mistakeAt } from "../mistakes-by-field.ts";
import type { Definition } from "../tool.ts";

interface NameAndDescriptionProps {
  definition: Definition;
  errors: FieldMistake[];
  onChange: (definition: Definition) => void;
}

/** The name of a tool and what it is for. */
export function NameAndDescription({ definition, errors, onChange }: NameAndDescriptionProps) {
  const titleError = mistakeAt(errors, "/title");
  const setDescription = (text: string) => {
    const { description: _, ...rest } = definition;
    onChange(text === "" ? rest : { ...rest, description: text });
  };
  return (
    <Group align="start" gap="md">
      <TextInput
        label="Title"
        value={definition.title}
        onChange={(event) => onChange({ ...definition, title: event.currentTarget.value })}
        required
        maxLength={200}
        flex="1 1 16rem"
        {...(titleError ? { error: titleError } : {})}
      />
      <Textarea
        label="Description"
        placeholder="What it is for, also for agents that choose among tools"
        value={definition.description ?? ""}
        onChange={(event) => setDescription(event.currentTarget.value)}
        maxLength={2000}
        autosize
        flex="2 1 20rem"
      />
    </Group>
  );
}
