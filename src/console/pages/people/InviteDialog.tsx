import { Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useDraft } from "../../state/use-draft.ts";
import type { Role } from "../../state/use-who.ts";
import { useWrite } from "../../state/use-write.ts";
import { Modal } from "../../ui/dialogs/Dialog.tsx";
import { inviteChanges } from "./invite-link.ts";
import { permissionsOf, roleOptions } from "./role.ts";

const noDraft: { email: string; role: Role } = { email: "", role: "editor" };

/** Invites a person by e-mail. */
export function InviteDialog({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [draft, setDraft, clear] = useDraft("invite", noDraft);
  const create = useWrite("/latest/auth/invite/create", {
    changes: inviteChanges,
    onDone: () => {
      clear();
      onDone();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.run({ email: draft.email.trim(), permissions: permissionsOf(draft.role) });
  };
  return (
    <Modal opened onClose={onClose} title="Invite a person" centered closeButtonProps={{ "aria-label": "Close" }}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            People of your organization join the project at once. Others get a mail and choose when to accept.
          </Text>
          <ProblemNotice problem={create.problem} />
          <TextInput
            label="E-mail"
            type="email"
            required
            value={draft.email}
            onChange={(event) => setDraft({ ...draft, email: event.currentTarget.value })}
            data-autofocus
          />
          <Select
            label="Role"
            data={roleOptions}
            value={draft.role}
            onChange={(value) => value && setDraft({ ...draft, role: value as Role })}
            allowDeselect={false}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isRunning}>
              Invite
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
