import { Button, Group, Skeleton, Stack, Textarea, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import type { OutputOf } from "../../../client/wire.ts";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useEdits } from "../../state/use-edits.ts";
import { useRead } from "../../state/use-read.ts";
import { useWrite } from "../../state/use-write.ts";
import { Modal } from "../../ui/dialogs/Dialog.tsx";

type Project = OutputOf<"/latest/projects/get">;

/** Changes the project's name and description. `?edit=1` opens it. What was typed survives a reload, until it is saved or cancelled. */
export function EditProject({ onClose }: { onClose: () => void }) {
  const { data, error, refetch } = useRead("/latest/projects/get", {});
  return (
    <Modal opened onClose={onClose} title="Edit the project" centered closeButtonProps={{ "aria-label": "Close" }}>
      <ProblemNotice problem={error} onRetry={() => void refetch()} />
      {data ? <ProjectFields project={data} onClose={onClose} /> : null}
      {data || error ? null : <Skeleton height={160} aria-label="Loading" />}
    </Modal>
  );
}

function ProjectFields({ project, onClose }: { project: Project; onClose: () => void }) {
  const { value, edit, undo, isChanged } = useEdits("edit-project", {
    name: project.name,
    description: project.description,
  });
  const { name, description } = value;
  const close = () => {
    undo();
    onClose();
  };
  const update = useWrite("/latest/projects/update", {
    changes: ["/latest/projects/get", "/latest/projects/list", "/latest/auth/info"],
    onDone: close,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    update.run({ name: name.trim(), description: description.trim() });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <ProblemNotice problem={update.problem} />
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => edit({ name: event.currentTarget.value })}
          maxLength={200}
          required
          dir="auto"
          data-autofocus
        />
        <Textarea
          label="Description"
          description="What the project is for, for the people in it."
          value={description}
          onChange={(event) => edit({ description: event.currentTarget.value })}
          maxLength={2000}
          autosize
          minRows={2}
          dir="auto"
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={update.isRunning} disabled={name.trim() === "" || !isChanged}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
