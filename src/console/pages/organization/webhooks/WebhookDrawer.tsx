import { Button, Group, Switch, Text } from "@mantine/core";
import { useState } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { ReadDrawer } from "../../../shell/ReadDrawer.tsx";
import { useRead } from "../../../state/use-read.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Confirm } from "../../../ui/dialogs/Confirm.tsx";
import { SecretOnce } from "../../../ui/dialogs/SecretOnce.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { Section } from "../../../ui/Section.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { Deliveries } from "./Deliveries.tsx";
import { deliveryState, eventsOf, type Webhook, webhookReads } from "./describe-webhook.ts";

interface WebhookDrawerProps {
  projectId: string;
  webhookId: string;
  onClose: () => void;
}

/** One webhook: whether it is on, a test, its secret, and everything that was sent to it. */
export function WebhookDrawer({ projectId, webhookId, onClose }: WebhookDrawerProps) {
  const read = useRead(
    "/latest/webhooks/{webhook_id}/get",
    { webhook_id: webhookId },
    { inProject: projectId, every: 15_000 },
  );
  return (
    <ReadDrawer title="Webhook" size="48rem" read={read} onClose={onClose}>
      {(webhook) => (
        <>
          <Facts webhook={webhook} projectId={projectId} onDeleted={onClose} />
          <Deliveries webhookId={webhookId} projectId={projectId} />
        </>
      )}
    </ReadDrawer>
  );
}

function Facts({ webhook, projectId, onDeleted }: { webhook: Webhook; projectId: string; onDeleted: () => void }) {
  const { webhook_id, status, status_reason } = webhook;
  const [asking, setAsking] = useState<"secret" | "delete" | null>(null);
  const options = { inProject: projectId, changes: [...webhookReads], onDone: () => setAsking(null) };
  const update = useWrite("/latest/webhooks/{webhook_id}/update", options);
  const test = useWrite("/latest/webhooks/{webhook_id}/test", options);
  const rotate = useWrite("/latest/webhooks/{webhook_id}/rotate_secret", options);
  const remove = useWrite("/latest/webhooks/{webhook_id}/delete", { ...options, onDone: onDeleted });
  return (
    <Section
      title={webhook.url}
      lead={webhook.description}
      actions={
        <Button variant="default" loading={test.isRunning} onClick={() => test.run({ webhook_id })}>
          Send a test
        </Button>
      }
    >
      <ProblemNotice problem={update.problem ?? test.problem ?? rotate.problem} />
      {status === "disabled" && status_reason ? <Notice tone="warn">{status_reason}</Notice> : null}
      {test.output ? (
        <Notice tone={test.output.status === "delivered" ? "good" : "bad"}>
          {test.output.status === "delivered"
            ? `The test was delivered with status ${test.output.response_status}.`
            : `The test was not delivered: ${test.output.problem ?? deliveryState(test.output).text}`}
        </Notice>
      ) : null}
      {rotate.output ? <SecretOnce label="New secret of the webhook" secret={rotate.output.webhook_secret} /> : null}
      <Text size="sm">
        Hears of: {eventsOf(webhook)}
        {webhook.whole_organization ? ", of the whole organization" : ""}. Since <Time at={webhook.created_at} />.
      </Text>
      <Group gap="md">
        <Switch
          label="On"
          checked={status === "enabled"}
          disabled={update.isRunning}
          onChange={(event) => update.run({ webhook_id, status: event.currentTarget.checked ? "enabled" : "disabled" })}
        />
        <Button variant="default" size="compact-sm" onClick={() => setAsking("secret")}>
          Replace the secret
        </Button>
        <Button variant="subtle" color="red" size="compact-sm" onClick={() => setAsking("delete")}>
          Delete
        </Button>
      </Group>
      <Confirm
        opened={asking === "secret"}
        title="Replace the secret?"
        action="Make a new secret"
        isRunning={rotate.isRunning}
        onConfirm={() => rotate.run({ webhook_id })}
        onClose={() => setAsking(null)}
      >
        <Text size="sm">
          For one day each event carries two signatures, one with each secret. Then only the new one.
        </Text>
      </Confirm>
      <Confirm
        opened={asking === "delete"}
        title="Delete the webhook?"
        action="Delete"
        isDangerous
        isRunning={remove.isRunning}
        onConfirm={() => remove.run({ webhook_id })}
        onClose={() => setAsking(null)}
      >
        <ProblemNotice problem={remove.problem} />
        <Text size="sm">Its secret and what waits to be sent to it are deleted with it.</Text>
      </Confirm>
    </Section>
  );
}
