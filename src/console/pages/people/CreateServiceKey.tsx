import { Select, Text, TextInput } from "@mantine/core";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useDraft } from "../../state/use-draft.ts";
import { useWrite } from "../../state/use-write.ts";
import { SecretDialog } from "../../ui/dialogs/SecretDialog.tsx";
import { expiryIn, lifetimes } from "../integrations/keys/describe-key.ts";

interface CreateServiceKeyProps {
  user: { user_id: string; name: string };
  onClose: () => void;
}

const noDraft = { label: "", days: "365" };

/** Another key for a service user, shown once. */
export function CreateServiceKey({ user, onClose }: CreateServiceKeyProps) {
  const [{ label, days }, setDraft, clear] = useDraft(`service-key.${user.user_id}`, noDraft);
  const create = useWrite("/latest/auth/service_users/create_key", {
    outsideProject: true,
    changes: ["/latest/auth/service_users/list_keys"],
    onDone: clear,
  });
  const submit = () =>
    create.run({
      user_id: user.user_id,
      ...(label.trim() === "" ? {} : { label: label.trim() }),
      expires_at: expiryIn(days),
    });
  return (
    <SecretDialog
      title={`New key for ${user.name}`}
      action="Create the key"
      isRunning={create.isRunning}
      onSubmit={submit}
      made={create.output && { label: "The new API key", secret: create.output.api_key }}
      note={<Text size="sm">Its other keys keep working.</Text>}
      onClose={onClose}
    >
      <ProblemNotice problem={create.problem} />
      <TextInput
        label="Name"
        description="What it is for, for example “second machine”."
        value={label}
        onChange={(event) => setDraft({ label: event.currentTarget.value, days })}
        maxLength={200}
        data-autofocus
      />
      <Select
        label="Expires after"
        data={lifetimes}
        value={days}
        onChange={(value) => value !== null && setDraft({ label, days: value })}
        allowDeselect={false}
      />
    </SecretDialog>
  );
}
