import { MultiSelect, Select, Text, TextInput } from "@mantine/core";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useDraft } from "../../../state/use-draft.ts";
import { type Role, useWho } from "../../../state/use-who.ts";
import { useWrite } from "../../../state/use-write.ts";
import { SecretDialog } from "../../../ui/dialogs/SecretDialog.tsx";
import { expiryIn, lifetimes, roleCaps } from "./describe-key.ts";
import { KeyHeader } from "./KeyHeader.tsx";

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
  const submit = () =>
    create.run({
      ...(draft.label.trim() === "" ? {} : { label: draft.label.trim() }),
      expires_at: expiryIn(draft.days),
      ...(draft.projectIds.length === 0 ? {} : { project_ids: draft.projectIds }),
      ...(draft.maxRole === "" ? {} : { max_role: draft.maxRole as Role }),
    });
  return (
    <SecretDialog
      title="Create an API key"
      action="Create the key"
      isRunning={create.isRunning}
      onSubmit={submit}
      made={create.output && { label: "Your new API key", secret: create.output.api_key }}
      note={<KeyHeader />}
      onClose={onClose}
    >
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
        description="A key can never do more than you. It can do less."
        data={roleCaps}
        value={draft.maxRole}
        allowDeselect={false}
        onChange={(maxRole) => setDraft({ ...draft, maxRole: maxRole ?? "" })}
      />
      {draft.projectIds.length === 0 && draft.maxRole === "" ? (
        <Text size="sm" c="dimmed">
          Without limits here, the key has access to your full account.
        </Text>
      ) : null}
    </SecretDialog>
  );
}
