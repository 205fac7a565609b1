import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { JsonView } from "../../../ui/JsonView.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { keptCharactersMax, type StepOutput } from "./known-outputs.ts";
import type { Outputs } from "./use-known-values.ts";

/** The output that the steps after it can use: where it comes from, and a button that pins it. */
export function OutputOfStep({ name, outputs }: { name: string; outputs: Outputs }) {
  const shown = outputs.of(name);
  if (!shown) return null;
  const isPinned = shown.from === "pin";
  return (
    <Stack gap="xs" role="region" aria-label="Output of this step">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Text size="sm" fw={600}>
            Output
          </Text>
          {isPinned ? (
            <Badge variant="light" tt="none" className="tone-info">
              Pinned
            </Badge>
          ) : null}
          <Text size="sm" c="dimmed">
            {origins[shown.from]} <Time at={shown.at} />
          </Text>
        </Group>
        <Button
          variant="default"
          size="compact-sm"
          aria-pressed={isPinned}
          title={
            isPinned ? undefined : "The steps after it use this output until it is unpinned, also after a newer run"
          }
          onClick={() => (isPinned ? outputs.unpin(name) : outputs.pin(name))}
        >
          {isPinned ? "Unpin" : "Pin this output"}
        </Button>
      </Group>
      {shown.hasNewer ? (
        <Notice
          tone="warn"
          action={
            <Button variant="default" size="compact-sm" onClick={() => outputs.unpin(name)}>
              Use the newer one
            </Button>
          }
        >
          This output is pinned, and a newer one exists.
        </Notice>
      ) : null}
      {outputs.isUnkept(name) ? (
        <Notice tone="warn">
          {`It is too large to keep: this browser keeps ${keptCharactersMax.toLocaleString("en")} characters for a tool. The steps after it can use it until you leave this page.`}
        </Notice>
      ) : null}
      {isPinned ? (
        <Text size="sm" c="dimmed">
          It is what you pick values from, and what later steps use when you try them. Runs of the tool do not use it.
        </Text>
      ) : null}
      <JsonView value={shown.output} label="Output" />
    </Stack>
  );
}

const origins: Record<StepOutput["from"], string> = {
  run: "of the tool's last run,",
  alone: "of this step, run alone",
  pin: "",
};
