import { Badge, Button, Group, Text } from "@mantine/core";
import { LoadedList } from "../../../shell/LoadedList.tsx";
import { useList } from "../../../state/use-read.ts";
import { useOpenState, useSearchState } from "../../../state/use-search-state.ts";
import { Empty } from "../../../ui/Empty.tsx";
import { Section } from "../../../ui/Section.tsx";
import { StateBadge } from "../../../ui/StateBadge.tsx";
import { AddWebhook } from "./AddWebhook.tsx";
import { eventsOf, stateOf } from "./describe-webhook.ts";
import { WebhookDrawer } from "./WebhookDrawer.tsx";

/** The webhooks of one project. `?webhook=` opens one, `?new=webhook` adds one. */
export function WebhookList({ projectId, isOwner }: { projectId: string; isOwner: boolean }) {
  const list = useList("/latest/webhooks/list", { limit: 100 }, { inProject: projectId });
  const [open, setOpen] = useOpenState("webhook");
  const [isNew, setNew] = useSearchState("new");
  const add = <Button onClick={() => setNew("webhook")}>Add a webhook</Button>;
  return (
    <Section
      title="Webhooks"
      lead="Signalbox tells your own systems what happens, with signatures as in Standard Webhooks. Failed deliveries are retried for three days."
      actions={list.rows && list.rows.length > 0 ? add : null}
    >
      <LoadedList
        label="Webhooks"
        list={list}
        keyOf={({ webhook_id }) => webhook_id}
        onOpen={({ webhook_id }) => setOpen(webhook_id)}
        empty={
          <Empty title="No webhook yet" action={add}>
            Give an address of yours that accepts a POST, and choose its events.
          </Empty>
        }
        columns={[
          {
            title: "Address",
            cell: ({ url, description, whole_organization }) => (
              <>
                <Group gap="xs">
                  <Text size="sm" fw={600} className="anywhere">
                    {url}
                  </Text>
                  {whole_organization ? <Badge variant="outline">whole organization</Badge> : null}
                </Group>
                {description ? (
                  <Text size="xs" c="dimmed" dir="auto">
                    {description}
                  </Text>
                ) : null}
              </>
            ),
          },
          { title: "Hears of", isExtra: true, cell: (webhook) => <Text size="sm">{eventsOf(webhook)}</Text> },
          { title: "State", width: "6rem", cell: (webhook) => <StateBadge {...stateOf(webhook)} /> },
          {
            title: "",
            width: "6rem",
            align: "right",
            cell: ({ webhook_id, url }) => (
              <Button variant="subtle" size="compact-sm" aria-label={`Open ${url}`} onClick={() => setOpen(webhook_id)}>
                Open
              </Button>
            ),
          },
        ]}
      />
      {isNew === "webhook" ? <AddWebhook projectId={projectId} isOwner={isOwner} onClose={() => setNew("")} /> : null}
      {open === "" ? null : <WebhookDrawer projectId={projectId} webhookId={open} onClose={() => setOpen("")} />}
    </Section>
  );
}
