import { Button, Code, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useProject } from "../../../state/use-project.ts";
import { SecretOnce } from "../../../ui/SecretOnce.tsx";

/** A new key, this once, with the header in which it goes. */
export function NewKey({ apiKey, children, onClose }: { apiKey: string; children?: ReactNode; onClose: () => void }) {
  const projectId = useProject();
  return (
    <Stack gap="md">
      <SecretOnce label="Your new API key" secret={apiKey} />
      {children}
      <div>
        <Text size="sm">Calls in this project send it so:</Text>
        <Code block className="json">{`Authorization: Bearer ${projectId}:<api_key>`}</Code>
      </div>
      <Group justify="flex-end">
        <Button onClick={onClose}>I have copied it</Button>
      </Group>
    </Stack>
  );
}
