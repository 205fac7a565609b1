import { Button, Group, Loader, Stack, Text } from "@mantine/core";
import { Copy } from "../../../ui/files/Copy.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import type { Consent, useConnect } from "./use-consent.ts";

interface ConsentWaitingProps {
  connect: ReturnType<typeof useConnect>;
  consent: Consent;
  title: string;
}

const timeFormat = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

/** While the person is at the system's own page. */
export function ConsentWaiting({ connect, consent, title }: ConsentWaitingProps) {
  const { windowState, isSlow, reopen, show, cancel } = connect;
  return (
    <Stack gap="md">
      <Group gap="sm" wrap="nowrap" role="status">
        <Loader size="sm" aria-hidden="true" />
        <Text size="sm">
          Waiting for you to finish at {title}. The page there works until{" "}
          {timeFormat.format(new Date(consent.expiresAt))}.
        </Text>
      </Group>
      {windowState === "blocked" ? (
        <Notice
          tone="warn"
          title="Your browser blocked the window"
          action={
            <Button component="a" href={consent.url} target="_blank" rel="opener">
              Open the sign-in page
            </Button>
          }
        >
          Open the page yourself. Allow pop-ups for this site to skip this step next time.
        </Notice>
      ) : null}
      {windowState === "closed" ? (
        <Notice
          tone="warn"
          title="The window is closed"
          action={
            <Button variant="default" onClick={reopen}>
              Open it again
            </Button>
          }
        >
          The account is not connected yet. If you continued in another window, this page notices by itself.
        </Notice>
      ) : null}
      {windowState === "open" && isSlow ? (
        <Notice
          tone="info"
          action={
            <Button variant="default" onClick={show}>
              Show the window
            </Button>
          }
        >
          This takes longer than usual. The window may be behind this one.
        </Notice>
      ) : null}
      <Text size="sm" c="dimmed">
        Does another person have the account? Send them this address: they see who asks and for which project before
        they sign in.
      </Text>
      <Group justify="space-between" gap="xs">
        <Copy text={consent.url} label="Copy the address" />
        <Button variant="default" onClick={cancel}>
          Start over
        </Button>
      </Group>
    </Stack>
  );
}
