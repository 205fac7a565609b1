import { Button, Group, Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useDraft } from "../../state/use-draft.ts";
import { useWrite } from "../../state/use-write.ts";
import type { Role } from "../../state/who.ts";
import { SecretOnce } from "../../ui/SecretOnce.tsx";
import { serviceUserChanges } from "./is-service.ts";
import { permissionsOf, roleOptions } from "./role.ts";

const noDraft: { name: string; role: Role } = { name: "", role: "editor" };

/** Makes a service user, lets it into the project, and shows its first key once. */
export function CreateServiceUser({ onClose }: { onClose: () => void }) {
  const [draft, setDraft, clear] = useDraft("service-user", noDraft);
  const add = useWrite("/latest/auth/service_users/add", { changes: serviceUserChanges });
  const letIn = (user_id: string) => add.run({ user_id, permissions: permissionsOf(draft.role) });
  const create = useWrite("/latest/auth/service_users/create", {
    outsideProject: true,
    changes: serviceUserChanges,
    onDone: ({ user_id }) => letIn(user_id),
  });
  const made = create.output;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.run({ name: draft.name.trim() });
  };
  const close = () => {
    if (made) clear();
    onClose();
  };
  return (
    <Modal
      opened
      onClose={close}
      title="Create a service user"
      size="lg"
      // The key is shown once: a click beside the dialog must not lose it.
      closeOnClickOutside={made === undefined}
      closeOnEscape={made === undefined}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {made ? (
        <Stack gap="md">
          <SecretOnce label="Its first API key" secret={made.api_key} />
          <ProblemNotice problem={add.problem} onRetry={() => letIn(made.user_id)} />
          <Text size="sm">{add.output ? "It is in this project." : "It is being let into this project …"}</Text>
          <Group justify="flex-end">
            <Button onClick={close}>I have copied it</Button>
          </Group>
        </Stack>
      ) : (
        <form onSubmit={submit}>
          <Stack gap="md">
            <ProblemNotice problem={create.problem} />
            <TextInput
              label="Name"
              description="The program that uses it, for example “nightly deployment”."
              value={draft.name}
              onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
              maxLength={200}
              required
              data-autofocus
            />
            <Select
              label="Role in this project"
              data={roleOptions}
              value={draft.role}
              onChange={(value) => value && setDraft({ ...draft, role: value as Role })}
              allowDeselect={false}
            />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={create.isRunning} disabled={draft.name.trim() === ""}>
                Create the service user
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
