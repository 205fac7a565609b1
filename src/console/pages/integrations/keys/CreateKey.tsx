import { Button, Group, Modal, MultiSelect, Select, Stack, Text, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useDraft } from "../../../state/use-draft.ts";
import { useWrite } from "../../../state/use-write.ts";
import { type Role, useWho } from "../../../state/who.ts";
import { expiryIn, lifetimes, roleCaps } from "./describe-key.ts";
import { NewKey } from "./NewKey.tsx";

const noDraft = { label: "", days: "90", projectIds: [] as string[], maxRole: "" };

/** Makes a key and shows it once. */
export function CreateKey({ onClose }: { onClose: () => void }) {
  const { data: who } = useWho();
  const [draft, setDraft, clearDraft] = useDraft("key", noDraft);
  const create = useWrite("/latest/auth/keys/create", {
    outsideProject: true,
    changes: ["/latest/auth/keys/list"],
    onDone: clearDraft,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.run({
      ...(draft.label.trim() === "" ? {} : { label: draft.label.trim() }),
      expires_at: expiryIn(draft.days),
      ...(draft.projectIds.length === 0 ? {} : { project_ids: draft.projectIds }),
      ...(draft.maxRole === "" ? {} : { max_role: draft.maxRole as Role }),
    });
  };
  const made = create.output;
  return (
    <Modal
      opened
      onClose={onClose}
      title="Create an API key"
      size="lg"
      // The key is shown once: a click beside the dialog must not lose it.
      closeOnClickOutside={made === undefined}
      closeOnEscape={made === undefined}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {made ? (
        <NewKey apiKey={made.api_key} onClose={onClose} />
      ) : (
        <form onSubmit={submit}>
          <Stack gap="md">
            <ProblemNotice problem={create.problem} />
            <TextInput
              label="Name"
              description="What it is for, for example “nightly report”."
              value={draft.label}
              maxLength={200}
              data-autofocus
              onChange={(event) => setDraft({ ...draft, label: event.currentTarget.value })}
            />
            <Select
              label="Expires after"
              data={lifetimes}
              value={draft.days}
              allowDeselect={false}
              onChange={(days) => setDraft({ ...draft, days: days ?? "" })}
            />
            <MultiSelect
              label="Projects"
              description="Empty: all your projects, also those you join later."
              data={who?.projects.map(({ project_id, name }) => ({ value: project_id, label: name })) ?? []}
              value={draft.projectIds}
              searchable
              onChange={(projectIds) => setDraft({ ...draft, projectIds })}
            />
            <Select
              label="Role"
              description="The key never may more than you. It may less."
              data={roleCaps}
              value={draft.maxRole}
              allowDeselect={false}
              onChange={(maxRole) => setDraft({ ...draft, maxRole: maxRole ?? "" })}
            />
            {draft.projectIds.length === 0 && draft.maxRole === "" ? (
              <Text size="sm" c="dimmed">
                Not narrowed, the key has access to your full account.
              </Text>
            ) : null}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={create.isRunning}>
                Create the key
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
