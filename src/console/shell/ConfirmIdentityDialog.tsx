import { Button, Group, Modal, PasswordInput, Skeleton, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { SignalboxProblem } from "../../client/problem.ts";
import { callFor } from "../state/call-for.ts";
import { useRead } from "../state/use-read.ts";
import { useWho } from "../state/use-who.ts";
import { askPasskey, knowsPasskeys } from "./ask-passkey.ts";
import { ProblemNotice } from "./ProblemNotice.tsx";

interface ConfirmIdentityDialogProps {
  onDone: (isConfirmed: boolean) => void;
}

/** Asks with what the account has: its password, a passkey, or its identity provider. */
export function ConfirmIdentityDialog({ onDone }: ConfirmIdentityDialogProps) {
  const [password, setPassword] = useState("");
  const [problem, setProblem] = useState<SignalboxProblem | null>(null);
  const ways = useWays();
  const prove = async (work: () => Promise<unknown>) => {
    try {
      await work();
      onDone(true);
    } catch (error) {
      setProblem(error instanceof SignalboxProblem ? error : noPasskey);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void prove(() => callFor(null)("/latest/auth/confirm/password", { password }));
  };
  const askForPasskey = () =>
    prove(async () => callFor(null)("/latest/auth/confirm/passkey", { response: await askPasskey() }));
  return (
    <Modal
      opened
      onClose={() => onDone(false)}
      title="Confirm that it is you"
      centered
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">This change asks who you are once more. Then it goes on.</Text>
          <ProblemNotice problem={problem ?? ways.problem} />
          {ways.isKnown ? null : <Skeleton height={60} aria-label="Loading" />}
          {ways.hasPassword ? (
            <PasswordInput
              label="Password"
              autoComplete="current-password"
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
              data-autofocus
              required
            />
          ) : null}
          {ways.hasPasskey ? (
            <Button variant="default" onClick={() => void askForPasskey()}>
              Use a passkey
            </Button>
          ) : null}
          {ways.ssoUrl ? (
            <Button component="a" variant="default" href={ways.ssoUrl}>
              {`Continue with ${ways.ssoLabel ?? "single sign-on"}`}
            </Button>
          ) : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => onDone(false)}>
              Cancel
            </Button>
            {ways.hasPassword ? <Button type="submit">Confirm</Button> : null}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const noPasskey = new SignalboxProblem(409, {
  code: "no_passkey",
  detail: "No passkey was used.",
  remedy: "Try again, or choose another way.",
});

/** How this person can confirm. The identity provider leads back to this page, where drafts are kept. */
function useWays() {
  const email = useWho().data?.user.email ?? "";
  const security = useRead("/latest/auth/security/get", {}, { outsideProject: true });
  const methods = useRead("/latest/auth/sign_in/methods", { email }, { outsideProject: true, when: email !== "" });
  const url = methods.data?.sso_url ? new URL(methods.data.sso_url, window.location.origin) : null;
  const { pathname, search } = window.location;
  url?.searchParams.set("confirm", "1");
  url?.searchParams.set("next", `${pathname}${search}`);
  return {
    isKnown: security.data !== undefined || security.error !== null,
    // Where the server does not say, the usual way is offered.
    hasPassword: security.data ? security.data.password_changed_at !== null : security.error !== null,
    hasPasskey: (security.data?.passkeys ?? 0) > 0 && knowsPasskeys(),
    ssoUrl: url?.href ?? null,
    ssoLabel: methods.data?.sso_label ?? null,
    problem: security.error,
  };
}
