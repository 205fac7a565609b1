import { Code, Group, Stack, Text } from "@mantine/core";
import { Copy } from "./Copy.tsx";
import { Notice } from "./Notice.tsx";

/** A secret that is shown once. */
export function SecretOnce({ label, secret }: { label: string; secret: string }) {
  return (
    <Notice tone="good" title={label}>
      <Stack gap="xs">
        <Text size="sm">Copy it now. It is not shown again.</Text>
        <Group gap="xs" wrap="nowrap">
          <Code className="secret" aria-label={label}>
            {secret}
          </Code>
          <Copy text={secret} label="Copy" />
        </Group>
      </Stack>
    </Notice>
  );
}
