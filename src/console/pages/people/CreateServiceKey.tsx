import { Select, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useWrite } from "../../state/use-write.ts";
import { SecretDialog } from "../../ui/SecretDialog.tsx";
import { expiryIn, lifetimes } from "../integrations/keys/describe-key.ts";

interface CreateServiceKeyProps {
  user: { user_id: string; name: string };
  onClose: () => void;
}

/** Another key for a service user, shown once. */
export function CreateServiceKey({ user, onClose }: CreateServiceKeyProps) {
  const [label, setLabel] = useState("");
  const [days, setDays] = useState("365");
  const create = useWrite("/latest/auth/service_users/create_key", {
    outsideProject: true,
    changes: ["/latest/auth/service_users/list_keys"],
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
        onChange={(event) => setLabel(event.currentTarget.value)}
        maxLength={200}
        data-autofocus
      />
      <Select
        label="Expires after"
        data={lifetimes}
        value={days}
        onChange={(value) => value !== null && setDays(value)}
        allowDeselect={false}
      />
    </SecretDialog>
  );
}
