import { Button, Text } from "@mantine/core";
import { CodeWords } from "../ui/CodeWords.tsx";

/** A list of groups looks like any other group of fields, and says in words how it grows. */
export const listTemplates = {
  ArrayFieldTitleTemplate: ({ title }: { title?: string }) => title,
  ArrayFieldDescriptionTemplate: ({ description }: { description?: unknown }) =>
    typeof description === "string" && description.trim() !== "" ? (
      <Text size="xs" c="dimmed" mb="xs">
        <CodeWords text={description} />
      </Text>
    ) : null,
  ButtonTemplates: {
    AddButton: ({ id, disabled, onClick }: { id?: string; disabled?: boolean; onClick?: () => void }) => (
      <Button id={id} variant="subtle" size="compact-sm" disabled={disabled ?? false} onClick={() => onClick?.()}>
        Add one
      </Button>
    ),
  },
};
