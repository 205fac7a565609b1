import { Stack, Text } from "@mantine/core";
import { CopyText } from "../files/CopyText.tsx";
import { Notice } from "../Notice.tsx";

/** A secret that is shown once. */
export function SecretOnce({ label, secret }: { label: string; secret: string }) {
  return (
    <Notice tone="good" title={label}>
      <Stack gap="xs">
        <Text size="sm">Copy it now. It is not shown again.</Text>
        <CopyText text={secret} label={label} />
      </Stack>
    </Notice>
  );
}
