import { Button, Group, Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { Modal } from "./Dialog.tsx";
import { SecretOnce } from "./SecretOnce.tsx";

interface SecretDialogProps {
  title: string;
  /** The fields of the form. */
  children: ReactNode;
  /** The verb on the button: "Create the key". */
  action: string;
  isRunning: boolean;
  isDisabled?: boolean;
  onSubmit: () => void;
  /** The new secret, as soon as there is one. */
  made: { label: string; secret: string } | undefined;
  /** What a person has to know beside the secret. */
  note?: ReactNode;
  onClose: () => void;
}

/** A form that makes a secret, then the secret, once. */
export function SecretDialog(props: SecretDialogProps) {
  const { title, children, action, isRunning, isDisabled, onSubmit, made, note, onClose } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="lg"
      // The secret is shown once: a click beside the dialog must not lose it.
      closeOnClickOutside={made === undefined}
      closeOnEscape={made === undefined}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {made ? (
        <Stack gap="md">
          <SecretOnce {...made} />
          {note}
          <Group justify="flex-end">
            <Button onClick={onClose}>I have copied it</Button>
          </Group>
        </Stack>
      ) : (
        <form onSubmit={submit}>
          <Stack gap="md">
            {children}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={isRunning} disabled={isDisabled ?? false}>
                {action}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
