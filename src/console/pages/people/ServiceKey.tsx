import { Button, Group, Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useWrite } from "../../state/use-write.ts";
import { SecretOnce } from "../../ui/SecretOnce.tsx";
import { expiryIn, lifetimes } from "../integrations/keys/describe-key.ts";

interface ServiceKeyProps {
  user: { user_id: string; name: string };
  onClose: () => void;
}

/** Another key for a service user, shown once. */
export function ServiceKey({ user, onClose }: ServiceKeyProps) {
  const [label, setLabel] = useState("");
  const [days, setDays] = useState("365");
  const create = useWrite("/latest/auth/service_users/create_key", { outsideProject: true });
  const made = create.output;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.run({
      user_id: user.user_id,
      ...(label.trim() === "" ? {} : { label: label.trim() }),
      expires_at: expiryIn(days),
    });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={`New key for ${user.name}`}
      size="lg"
      closeOnClickOutside={made === undefined}
      closeOnEscape={made === undefined}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {made ? (
        <Stack gap="md">
          <SecretOnce label="The new API key" secret={made.api_key} />
          <Text size="sm">Its other keys keep working.</Text>
          <Group justify="flex-end">
            <Button onClick={onClose}>I have copied it</Button>
          </Group>
        </Stack>
      ) : (
        <form onSubmit={submit}>
          <Stack gap="md">
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
