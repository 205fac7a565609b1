import { Box, Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";

interface PageProps {
  title: string;
  /** One sentence that says what the page is for. */
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A page: its heading receives the focus after a change of route, so that screen readers and keys start there. */
export function Page({ title, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Signalbox`;
  }, [title]);
  useEffect(() => {
    if (document.activeElement === document.body || document.activeElement === null) heading.current?.focus();
  }, []);
  return (
    <Stack gap="lg" className="page">
      <Group justify="space-between" align="start" gap="md">
        <Box maw="44rem" flex="1 1 16rem">
          <Title order={1} ref={heading} tabIndex={-1} className="page-title" dir="auto">
            {title}
          </Title>
          {lead ? (
            <Text c="dimmed" mt={4} dir="auto">
              {lead}
            </Text>
          ) : null}
        </Box>
        {actions ? <Group gap="xs">{actions}</Group> : null}
      </Group>
      {children}
    </Stack>
  );
}
