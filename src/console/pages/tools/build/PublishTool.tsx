import { Button, Stack, Text, Textarea } from "@mantine/core";
import type { FormEvent } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useDraft } from "../../../state/use-draft.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Modal } from "../../../ui/dialogs/Dialog.tsx";
import type { Tool } from "../tool.ts";

/** Makes the saved draft the version that runs use. */
export function PublishTool({ tool, opened, onClose }: { tool: Tool; opened: boolean; onClose: () => void }) {
  const [note, setNote, clear] = useDraft(`publish.${tool.tool_id}`, "");
  const publish = useWrite("/latest/tools/{tool_id}/publish", {
    changes: ["/latest/tools/list", "/latest/tools/{tool_id}/get", "/latest/tools/{tool_id}/versions"],
    onDone: () => {
      clear();
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    publish.run({ tool_id: tool.tool_id, revision: tool.revision, ...(note === "" ? {} : { note }) });
  };
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={`Publish ${tool.title}`}
      centered
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <ProblemNotice problem={publish.problem} />
          <Text size="sm">
            People, agents and schedules run this version from now on. Runs in progress keep the version they started
            with.
          </Text>
          <Textarea
            label="What is new"
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
            maxLength={2000}
            autosize
            minRows={2}
            data-autofocus
          />
          <Button type="submit" loading={publish.isRunning}>
            Publish the tool
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
