import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** What a list shows when it holds nothing: what belongs here, and how to begin. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      <Title order={3} size="h5">
        {title}
      </Title>
      {children ? (
        <Text c="dimmed" size="sm" maw="34rem">
          {children}
        </Text>
      ) : null}
      {action}
    </Stack>
  );
}
