import { Button, Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { Modal } from "./Dialog.tsx";

interface ConfirmProps {
  opened: boolean;
  title: string;
  /** What will happen, in sentences. */
  children: ReactNode;
  /** The verb on the button: "Remove the account". */
  action: string;
  /** The way back, where "Cancel" could be taken for the action. */
  dismiss?: string;
  isDangerous?: boolean;
  isRunning?: boolean;
  isDisabled?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something happens that cannot be taken back. */
export function Confirm(props: ConfirmProps) {
  const {
    opened,
    title,
    children,
    action,
    dismiss = "Cancel",
    isDangerous,
    isRunning,
    isDisabled,
    onConfirm,
    onClose,
  } = props;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      centered
      // The second click of a double click lands beside it, and must not take the question away.
      closeOnClickOutside={false}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack gap="md">
        {children}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus={isDangerous || undefined}>
            {dismiss}
          </Button>
          <Button
            color={isDangerous ? "red" : "accent"}
            onClick={onConfirm}
            loading={isRunning ?? false}
            disabled={isDisabled ?? false}
            // Enter confirms what can be undone or was asked for by a key; what is dangerous takes one more step.
            data-autofocus={!isDangerous || undefined}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
