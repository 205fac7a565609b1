import { Button, Group, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import { type FormEvent, useEffect, useRef, useState } from "react";
import type { SignalboxProblem } from "../../client/problem.ts";
import { paths } from "../paths.ts";
import { callFor } from "../state/call.ts";
import { registerConfirmation } from "../state/confirmation.ts";
import { ProblemNotice } from "./ProblemNotice.tsx";

/** "Is it still you?": some changes ask for the password again. The change goes on afterwards. */
export function ConfirmIdentity() {
  const [isOpen, setOpen] = useState(false);
  const [password, setPassword] = useState("");
  const [problem, setProblem] = useState<SignalboxProblem | null>(null);
  const settle = useRef<(isConfirmed: boolean) => void>(() => {});
  useEffect(
    () =>
      registerConfirmation(
        () =>
          new Promise((resolve) => {
            setPassword("");
            setProblem(null);
            setOpen(true);
            settle.current = (isConfirmed) => {
              setOpen(false);
              resolve(isConfirmed);
            };
          }),
      ),
    [],
  );
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await callFor(null)("/latest/auth/confirm/password", { password });
      settle.current(true);
    } catch (error) {
      setProblem(error as SignalboxProblem);
    }
  };
  return (
    <Modal
      opened={isOpen}
      onClose={() => settle.current(false)}
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
            <Button variant="default" onClick={() => settle.current(false)}>
              Cancel
            </Button>
            <Button type="submit">Confirm</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
