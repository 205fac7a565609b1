import { Box, Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface SectionProps {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A titled part of a page. */
export function Section({ title, lead, actions, children }: SectionProps) {
  return (
    <Paper component="section" withBorder p={{ base: "md", sm: "lg" }} aria-label={title}>
      <Stack gap="md">
        <Group justify="space-between" align="start" gap="sm">
          <Box flex="1 1 10rem" miw={0}>
            <Title order={2} size="h4">
              {title}
            </Title>
            {lead ? (
              <Text c="dimmed" size="sm" mt={2}>
                {lead}
              </Text>
            ) : null}
          </Box>
          {actions ? <Group gap="xs">{actions}</Group> : null}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}
