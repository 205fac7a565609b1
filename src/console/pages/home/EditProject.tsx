import { Button, Group, Skeleton, Stack, Textarea, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { OutputOf } from "../../../client/wire.ts";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useRead } from "../../state/use-read.ts";
import { useWrite } from "../../state/use-write.ts";
import { Modal } from "../../ui/Dialog.tsx";

type Project = OutputOf<"/latest/projects/get">;

/** Changes the project's name and description. `?edit=1` opens it. */
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
  const [name, setName] = useState(project.name);
  const [description, setDescription] = useState(project.description);
  const update = useWrite("/latest/projects/update", {
    changes: ["/latest/projects/get", "/latest/projects/list", "/latest/auth/info"],
    onDone: onClose,
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
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={200}
          required
          dir="auto"
          data-autofocus
        />
        <Textarea
          label="Description"
          description="What the project is for, for the people in it."
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          maxLength={2000}
          autosize
          minRows={2}
          dir="auto"
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={update.isRunning} disabled={name.trim() === ""}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
