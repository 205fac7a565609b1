import { Button, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { useRef, useState } from "react";
import { LoadedList } from "../../../shell/LoadedList.tsx";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useList } from "../../../state/use-read.ts";
import { useWrite } from "../../../state/use-write.ts";
import { JsonView } from "../../../ui/JsonView.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { Section } from "../../../ui/Section.tsx";
import { StateBadge } from "../../../ui/StateBadge.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { type Delivery, deliveryState, webhookReads } from "./describe-webhook.ts";

type Filter = "all" | Delivery["status"];

/** What was sent, how it was answered, and a button to send it again. */
export function Deliveries({ webhookId, projectId }: { webhookId: string; projectId: string }) {
  const [filter, setFilter] = useState<Filter>("all");
  const [open, setOpen] = useState<string | null>(null);
  const list = useList(
    "/latest/webhooks/{webhook_id}/deliveries",
    { webhook_id: webhookId, limit: 50, ...(filter === "all" ? {} : { status: filter }) },
    { inProject: projectId, every: 5000 },
  );
  const replay = useWrite("/latest/webhooks/{webhook_id}/replay", {
    inProject: projectId,
    changes: [...webhookReads],
  });
  const wish = useRef<{ webhook_id: string; delivery_id?: string }>({ webhook_id: webhookId });
  const sendAgain = (wanted: typeof wish.current) => {
    wish.current = wanted;
    replay.run(wanted);
  };
  const enable = useWrite("/latest/webhooks/{webhook_id}/update", {
    inProject: projectId,
    changes: [...webhookReads],
    onDone: () => replay.run(wish.current),
  });
  const shown = list.rows?.find(({ delivery_id }) => delivery_id === open);
  return (
    <Section
      title="Deliveries"
      actions={
        <Button
          variant="default"
          size="compact-sm"
          loading={replay.isRunning}
          onClick={() => sendAgain({ webhook_id: webhookId })}
        >
          Send all failed again
        </Button>
      }
    >
      <SegmentedControl
        aria-label="Which deliveries"
        size="xs"
        value={filter}
        onChange={(value) => setFilter(value as Filter)}
        data={[
          { value: "all", label: "All" },
          { value: "failed", label: "Failed" },
          { value: "pending", label: "Waiting" },
          { value: "delivered", label: "Delivered" },
        ]}
      />
      <ProblemNotice
        problem={enable.problem ?? replay.problem}
        buttons={{
          webhook_disabled: (
            <Button
              size="compact-sm"
              variant="default"
              loading={enable.isRunning || replay.isRunning}
              onClick={() => enable.run({ webhook_id: webhookId, status: "enabled" })}
            >
              Turn it on and send again
            </Button>
          ),
        }}
      />
      {replay.output ? (
        <Notice tone="good">
          {replay.output.queued === 0
            ? "There was nothing to send again."
            : `${replay.output.queued} will be sent again.`}
        </Notice>
      ) : null}
      <LoadedList
        label="Deliveries"
        list={list}
        keyOf={({ delivery_id }) => delivery_id}
        onOpen={({ delivery_id }) => setOpen(delivery_id === open ? null : delivery_id)}
        empty={
          <Text size="sm" c="dimmed">
            Nothing yet. Send a test to see how it looks.
          </Text>
        }
        columns={[
          {
            title: "Event",
            cell: ({ type, problem, next_attempt_at, status }) => (
              <>
                <Text size="sm" className="mono">
                  {type}
                </Text>
                {problem ? (
                  <Text size="xs" c="var(--bad)" className="anywhere">
                    {problem}
                  </Text>
                ) : null}
                {status === "pending" && next_attempt_at ? (
                  <Text size="xs" c="dimmed">
                    next try <Time at={next_attempt_at} />
                  </Text>
                ) : null}
              </>
            ),
          },
          { title: "State", width: "7rem", cell: (delivery) => <StateBadge {...deliveryState(delivery)} /> },
          {
            title: "Response",
            width: "6rem",
            isExtra: true,
            cell: ({ response_status, attempts }) => (
              <Text size="sm" title={`${attempts} ${attempts === 1 ? "try" : "tries"}`}>
                {response_status ?? "–"}
              </Text>
            ),
          },
          { title: "When", width: "8rem", isExtra: true, cell: ({ created_at }) => <Time at={created_at} /> },
          {
            title: "",
            width: "7rem",
            align: "right",
            cell: ({ delivery_id, type }) => (
              <Group gap={4} justify="flex-end">
                <Button
                  variant="subtle"
                  size="compact-sm"
                  aria-label={`Send ${type} again`}
                  onClick={() => sendAgain({ webhook_id: webhookId, delivery_id })}
                >
                  Send again
                </Button>
              </Group>
            ),
          },
        ]}
      />
      {shown ? (
        <Stack gap={4}>
          <Text size="sm" fw={600}>
            What was sent
          </Text>
          <JsonView value={shown.body} label="What was sent" />
        </Stack>
      ) : null}
    </Section>
  );
}
