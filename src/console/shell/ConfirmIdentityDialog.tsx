import { Button, Group, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { SignalboxProblem } from "../../client/problem.ts";
import { paths } from "../paths.ts";
import { callFor } from "../state/call-for.ts";
import { ProblemNotice } from "./ProblemNotice.tsx";

interface ConfirmIdentityDialogProps {
  onDone: (isConfirmed: boolean) => void;
}

export function ConfirmIdentityDialog({ onDone }: ConfirmIdentityDialogProps) {
  const [password, setPassword] = useState("");
  const [problem, setProblem] = useState<SignalboxProblem | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await callFor(null)("/latest/auth/confirm/password", { password });
      onDone(true);
    } catch (error) {
      setProblem(error as SignalboxProblem);
    }
  };
  return (
    <Modal
      opened
      onClose={() => onDone(false)}
      title="Confirm that it is you"
      centered
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          <Text size="sm">
            This change asks for your password once more. With a passkey or single sign-on, confirm at{" "}
            <a href={paths.account}>your account</a>.
          </Text>
          <ProblemNotice problem={problem} />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            data-autofocus
            required
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => onDone(false)}>
              Cancel
            </Button>
            <Button type="submit">Confirm</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
