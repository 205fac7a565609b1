import { Button, Group, JsonInput, Select, Stack, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useMemo } from "react";
import { paths } from "../../../paths.ts";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useDraft } from "../../../state/use-draft.ts";
import { useProject } from "../../../state/use-project.ts";
import { useSearchState } from "../../../state/use-search-state.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Modal } from "../../../ui/dialogs/Dialog.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import type { RunRecord } from "../describe-status.ts";
import { readParams } from "./read-params.ts";

/** Does a run once more, as it was or with other params. */
export function ReplayRun({ run }: { run: RunRecord }) {
  const [replay, setReplay] = useSearchState("replay");
  const close = () => setReplay("");
  return (
    <>
      <Button onClick={() => setReplay("1")}>Replay</Button>
      <Modal
        opened={replay === "1"}
        onClose={close}
        title="Replay this run"
        size="lg"
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <ReplayForm run={run} onClose={close} />
      </Modal>
    </>
  );
}

function ReplayForm({ run, onClose }: { run: RunRecord; onClose: () => void }) {
  const projectId = useProject();
  const navigate = useNavigate();
  const before = useMemo(() => JSON.stringify(run.params ?? {}, null, 2), [run.params]);
  const [text, setText, clear] = useDraft(`replay.${run.run_id}`, before);
  const [from, setFrom] = useSearchState("from_step");
  const replay = useWrite("/latest/runs/{run_id}/replay", {
    changes: ["/latest/runs/list"],
    onDone: ({ run_id }) => {
      clear();
      void navigate({ to: paths.run(projectId, run_id), search: {} } as never);
    },
  });
  const params = readParams(text);
  const isChanged = text !== before;
  const hasMark = isChanged && text.includes("[secret]");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if ("mistake" in params) return;
    replay.run({
      run_id: run.run_id,
      ...(isChanged ? { params: params.value } : {}),
      ...(from ? { from_step: from } : {}),
    });
  };
  const what = run.step_id === null ? "Params" : "Input";
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">
          It runs again as it was then, with your permissions. What it sends is sent again; the first run stays as it
          is.
        </Text>
        <ProblemNotice problem={replay.problem} />
        <JsonInput
          label={what}
          description="Change what should be different."
          value={text}
          onChange={setText}
          error={"mistake" in params ? params.mistake : null}
          autosize
          minRows={6}
          maxRows={20}
          spellCheck={false}
          styles={{ input: { fontFamily: "var(--mono)", fontSize: "0.8rem" } }}
          data-autofocus
        />
        {hasMark ? (
          <Notice tone="warn">
            Values that are secret are not shown. Where [secret] stands, type the value again, or the step receives
            these words.
          </Notice>
        ) : null}
        {run.tool_id !== null && run.steps.length > 1 ? (
          <Select
            label="Begin with"
            description="Steps before it keep the outputs they had."
            data={run.steps.map(({ name }) => name)}
            value={from || null}
            onChange={(name) => setFrom(name ?? "")}
            placeholder="The first step"
            clearable
          />
        ) : null}
        <Group justify="flex-end" gap="xs">
          {isChanged ? (
            <Button variant="subtle" onClick={clear}>
              Undo changes
            </Button>
          ) : null}
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" loading={replay.isRunning} disabled={"mistake" in params}>
            Run again
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
