import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import type { Sandbox } from "../../state/use-sandboxes.ts";
import { useWrite } from "../../state/use-write.ts";
import { Confirm } from "../../ui/dialogs/Confirm.tsx";
import { Section } from "../../ui/Section.tsx";
import { duration } from "../../ui/times/duration.ts";
import { Time } from "../../ui/times/Time.tsx";
import { ProblemNotice } from "../ProblemNotice.tsx";

const steps: [label: string, seconds: number][] = [
  ["1 minute", 60],
  ["10 minutes", 600],
  ["1 hour", 3600],
  ["1 day", 86_400],
];
const changes = ["/latest/sandboxes/list", "/latest/sandboxes/{system}/requests", "/latest/limits/list"] as const;
const sameMilliseconds = 5000;

/** The sandbox's own time. What is due there meanwhile happens when it is moved. */
export function SandboxClock({ sandbox: { system }, now }: { sandbox: Sandbox; now: string }) {
  const [isAsking, setAsking] = useState(false);
  const advance = useWrite("/latest/sandboxes/{system}/advance_clock", { outsideProject: true, changes: [...changes] });
  const reset = useWrite("/latest/sandboxes/{system}/reset", {
    outsideProject: true,
    changes: [...changes],
    onDone: () => setAsking(false),
  });
  const ahead = Date.parse(now) - Date.now();
  return (
    <Section
      title="Clock"
      actions={
        <Button variant="subtle" color="red" size="compact-sm" onClick={() => setAsking(true)}>
          Reset the sandbox
        </Button>
      }
    >
      <ProblemNotice problem={advance.problem ?? reset.problem} />
      <Text size="sm">
        <Time at={now} exact />
        <Text span size="sm" c="dimmed">
          {ahead > sameMilliseconds ? `, ${duration(ahead)} ahead` : ", the same as here"}
        </Text>
      </Text>
      <Group gap="xs">
        <Text size="sm">Move it forward by</Text>
        {steps.map(([label, seconds]) => (
          <Button
            key={label}
            variant="default"
            size="compact-sm"
            disabled={advance.isRunning}
            aria-label={`Move the clock forward by ${label}`}
            onClick={() => advance.run({ system, seconds })}
          >
            {label}
          </Button>
        ))}
      </Group>
      <Confirm
        opened={isAsking}
        title="Reset the sandbox?"
        action="Reset"
        isDangerous
        isRunning={reset.isRunning}
        onConfirm={() => reset.run({ system })}
        onClose={() => setAsking(false)}
      >
        <Text size="sm">
          Its records, faults, limits, request log and clock are reset. Connected accounts keep working.
        </Text>
      </Confirm>
    </Section>
  );
}
