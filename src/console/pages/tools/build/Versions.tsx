import { Button, Group, Stack, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useList } from "../../../state/use-read.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Confirm } from "../../../ui/dialogs/Confirm.tsx";
import { Empty } from "../../../ui/Empty.tsx";
import { Section } from "../../../ui/Section.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import type { Definition, Tool } from "../tool.ts";
import { writeYaml } from "./definition-yaml.ts";
import { diffLines } from "./line-diff.ts";

interface VersionsProps {
  tool: Tool;
  definition: Definition;
  isDirty: boolean;
}

/** What was published, newest first, each with its difference from the draft. */
export function Versions({ tool, definition, isDirty }: VersionsProps) {
  const list = useList("/latest/tools/{tool_id}/versions", { tool_id: tool.tool_id, limit: 50 });
  const [chosen, setChosen] = useState<number | null>(null);
  const [restoring, setRestoring] = useState<number | null>(null);
  const restore = useWrite("/latest/tools/{tool_id}/restore", {
    changes: ["/latest/tools/{tool_id}/get", "/latest/tools/list"],
    onDone: () => setRestoring(null),
  });
  const shown = list.rows?.find(({ version }) => version === (chosen ?? list.rows?.[0]?.version));
  return (
    <Section title="Versions">
      <ProblemNotice problem={list.problem} onRetry={() => void list.refetch()} />
      {list.rows?.length === 0 ? <Empty title="Never published">Runs use the saved draft until then.</Empty> : null}
      <Stack gap={4}>
        {list.rows?.map((version) => (
          <Group key={version.version} justify="space-between" gap="xs" wrap="nowrap">
            <Button
              variant={version === shown ? "light" : "subtle"}
              size="compact-sm"
              onClick={() => setChosen(version.version)}
              aria-pressed={version === shown}
            >
              Version {version.version}
              {version.version === tool.published_version ? ", in use" : ""}
            </Button>
            <Text size="sm" c="dimmed" truncate flex={1} dir="auto">
              {version.note ?? ""}
            </Text>
            <Time at={version.created_at} />
            <Button
              variant="subtle"
              size="compact-sm"
              aria-label={`Restore version ${version.version}`}
              disabled={isDirty}
              title={isDirty ? "Save or discard your changes first" : "Makes it the draft again"}
              onClick={() => setRestoring(version.version)}
            >
              Restore
            </Button>
          </Group>
        ))}
      </Stack>
      {shown ? <Difference from={shown.definition as Definition} to={definition} version={shown.version} /> : null}
      <Confirm
        opened={restoring !== null}
        title={`Restore version ${restoring}?`}
        action="Restore"
        isRunning={restore.isRunning}
        onConfirm={() =>
          restoring && restore.run({ tool_id: tool.tool_id, version: restoring, revision: tool.revision })
        }
        onClose={() => setRestoring(null)}
      >
        <ProblemNotice problem={restore.problem} />
        <Text size="sm">It replaces the draft. What runs use changes only when that draft is published.</Text>
      </Confirm>
    </Section>
  );
}

function Difference({ from, to, version }: { from: Definition; to: Definition; version: number }) {
  const lines = useMemo(() => diffLines(writeYaml(from), writeYaml(to)), [from, to]);
  if (lines.every(({ kind }) => kind === "same"))
    return <Text size="sm">The draft is the same as version {version}.</Text>;
  return (
    <div>
      <Text size="sm" mb={6}>
        From version {version} to the draft
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard. */}
      <section className="diff" aria-label={`Difference from version ${version} to the draft`} tabIndex={0}>
        {lines.map(({ kind, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a difference never move.
          <div key={index} className={`diff-${kind}`}>
            {{ same: "  ", added: "+ ", removed: "- " }[kind]}
            {text}
          </div>
        ))}
      </section>
    </div>
  );
}
