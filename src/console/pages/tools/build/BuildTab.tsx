import { Badge, Button, Group, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { lazy, Suspense, useState } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useSearchState } from "../../../state/use-search-state.ts";
import { useWrite } from "../../../state/use-write.ts";
import { breadcrumbOf } from "../../../ui/breadcrumb.ts";
import { CodeWords } from "../../../ui/CodeWords.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { Section } from "../../../ui/Section.tsx";
import { type Definition, isSame, type Tool } from "../tool.ts";
import { NameAndDescription } from "./NameAndDescription.tsx";
import { PublishTool } from "./PublishTool.tsx";
import { StepList } from "./StepList.tsx";
import { useKnownValues } from "./use-known-values.ts";
import { useMistakes } from "./use-mistakes.ts";
import { useToolDraft } from "./use-tool-draft.ts";

const YamlPanel = lazy(() => import("./YamlPanel.tsx").then((file) => ({ default: file.YamlPanel })));
const Versions = lazy(() => import("./Versions.tsx").then((file) => ({ default: file.Versions })));

const changes = ["/latest/tools/list", "/latest/tools/{tool_id}/get", "/latest/tools/{tool_id}/versions"] as const;

/** The editor of a tool: its draft, mistakes while typing, YAML and versions beside it. */
export function BuildTab({ tool }: { tool: Tool }) {
  const draft = useToolDraft(tool);
  const { definition } = draft;
  const { errors, warnings, isChecked } = useMistakes(definition);
  const { known, outputs } = useKnownValues(tool.tool_id);
  const [beside, setBeside] = useSearchState("beside");
  const [isPublishing, setPublishing] = useState(false);
  const updateTo = (revision: number | undefined) => toUpdate(tool.tool_id, revision, definition);
  const save = useWrite("/latest/tools/{tool_id}/update", {
    changes: [...changes],
    onDone: (answer, sent) => draft.saved(answer, isSame(sent, updateTo(sent.revision))),
  });
  const runSave = () => save.run(updateTo(draft.revision));
  useHotkeys([["mod+S", () => draft.isDirty && runSave()]], []);
  return (
    <Stack gap="lg">
      <Group justify="space-between" gap="sm" className="build-bar">
        <Group gap="sm" role="status">
          {draft.isDirty ? (
            <Badge tt="none" className="tone-warn">
              Unsaved changes
            </Badge>
          ) : (
            <Text size="sm" c="dimmed">
              Everything is saved.
            </Text>
          )}
          {errors.length > 0 ? (
            <Text size="sm" c="var(--bad)">
              {errors.length} {errors.length === 1 ? "mistake" : "mistakes"} to fix before it can be saved.
            </Text>
          ) : isChecked && draft.isDirty ? (
            <Text size="sm" c="dimmed">
              No mistakes found.
            </Text>
          ) : null}
        </Group>
        <Group gap="xs">
          <SegmentedControl
            aria-label="Beside the flow"
            data={[
              { value: "", label: "Flow" },
              { value: "yaml", label: "YAML" },
              { value: "versions", label: "Versions" },
            ]}
            value={beside === "yaml" || beside === "versions" ? beside : ""}
            onChange={setBeside}
            size="xs"
          />
          {draft.isDirty ? (
            <Button variant="subtle" onClick={draft.discard}>
              Discard changes
            </Button>
          ) : null}
          <Button variant="default" disabled={!draft.isDirty} loading={save.isRunning} onClick={runSave}>
            Save
          </Button>
          <Button
            disabled={draft.isDirty}
            title={draft.isDirty ? "Save the changes first" : "Makes the saved draft what runs use"}
            onClick={() => setPublishing(true)}
          >
            Publish
          </Button>
        </Group>
      </Group>
      {draft.isBehind ? (
        <Notice
          tone="warn"
          action={
            <Group gap="xs">
              <Button size="compact-sm" variant="default" onClick={draft.discard}>
                Show theirs
              </Button>
              <Button size="compact-sm" variant="default" onClick={() => draft.rebase()}>
                Keep mine
              </Button>
            </Group>
          }
        >
          Another person saved this tool after you began to change it. Your changes are still here.
        </Notice>
      ) : null}
      <ProblemNotice problem={save.problem} />
      {warnings.map(({ pointer, detail }) => (
        <Notice key={`${pointer} ${detail}`} tone="warn">
          {breadcrumbOf(pointer)}: <CodeWords text={detail} />
        </Notice>
      ))}
      <div className={beside === "yaml" || beside === "versions" ? "two-columns" : ""}>
        <Stack gap="md">
          <Section title="About">
            <NameAndDescription definition={definition} errors={errors} onChange={draft.change} />
          </Section>
          <StepList definition={definition} onChange={draft.change} errors={errors} known={known} outputs={outputs} />
        </Stack>
        <Suspense fallback={<Skeleton height={240} role="status" aria-label="Loading" />}>
          {beside === "yaml" ? (
            <YamlPanel definition={definition} onChange={draft.change} toolId={tool.tool_id} />
          ) : null}
          {beside === "versions" ? <Versions tool={tool} definition={definition} isDirty={draft.isDirty} /> : null}
        </Suspense>
      </div>
      <PublishTool tool={tool} opened={isPublishing} onClose={() => setPublishing(false)} />
    </Stack>
  );
}

/** What the draft leaves out is taken away, which null says. */
const toUpdate = (toolId: string, revision: number | undefined, { description, output, ...rest }: Definition) => ({
  tool_id: toolId,
  revision,
  ...rest,
  description: description ?? null,
  output: output ?? null,
});
