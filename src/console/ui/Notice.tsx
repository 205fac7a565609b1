import { Alert, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";

export type Tone = "bad" | "warn" | "good" | "info";

const colors: Record<Tone, string> = { bad: "red", warn: "yellow", good: "green", info: "accent" };

/** A sentence that needs attention, what to do about it, and a button where one helps. */
export function Notice({
  tone,
  title,
  children,
  action,
}: {
  tone: Tone;
  title?: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <Alert
      color={colors[tone]}
      variant="light"
      role={tone === "bad" ? "alert" : "status"}
      {...(title ? { title } : {})}
    >
      <Group justify="space-between" align="center" gap="sm">
        <Text component="div" size="sm" className="notice-text">
          {children}
        </Text>
        {action}
      </Group>
    </Alert>
  );
}
