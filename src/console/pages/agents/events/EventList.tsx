import { Stack, Text } from "@mantine/core";
import { LoadedList } from "../../../shell/LoadedList.tsx";
import { useList } from "../../../state/use-read.ts";
import { useOpenState } from "../../../state/use-search-state.ts";
import { Empty } from "../../../ui/Empty.tsx";
import { NarrowLabel } from "../../../ui/rows/NarrowLabel.tsx";
import { Section } from "../../../ui/Section.tsx";
import { StateBadge } from "../../../ui/StateBadge.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import type { Agent } from "../agent-draft.ts";
import { signatureOf, statusOf } from "./describe-event.ts";
import { EventDrawer } from "./EventDrawer.tsx";
import { RunLinks } from "./RunLinks.tsx";

/** Events that the agent received, newest first. `?event=` opens one. */
export function EventList({ agent }: { agent: Agent }) {
  const [open, setOpen] = useOpenState("event");
  const list = useList("/latest/events/list", { agent_id: agent.agent_id, limit: 50 }, { every: 5_000 });
  return (
    <Section title="Events received" lead="Kept for 30 days.">
      <LoadedList
        label="Events"
        list={list}
        keyOf={({ event_id }) => event_id}
        onOpen={({ event_id }) => setOpen(event_id)}
        empty={
          <Empty title="No event yet">
            Give a sender the address and the secret above, or send a test event to see what would happen.
          </Empty>
        }
        columns={[
          {
            title: "Event",
            cell: ({ type, system_type }) => (
              <>
                <Text fw={600} className="anywhere">
                  {type}
                </Text>
                {system_type === type ? null : (
                  <Text size="sm" c="dimmed" className="anywhere">
                    sent as {system_type}
                  </Text>
                )}
              </>
            ),
          },
          {
            title: "Signature",
            width: "9.5rem",
            cell: (event) => (
              <>
                <NarrowLabel>Signature</NarrowLabel>
                <StateBadge tone={signatureOf(event).tone} text={signatureOf(event).text} />
              </>
            ),
          },
          {
            title: "What it started",
            width: "16rem",
            cell: (event) => {
              const { tone, word, sentence } = statusOf(event);
              return (
                <Stack gap={2} align="start">
                  <StateBadge tone={tone} text={word} />
                  {event.run_ids.length === 0 ? (
                    <Text size="xs" c="dimmed" lineClamp={2}>
                      {sentence}
                    </Text>
                  ) : (
                    <RunLinks runIds={event.run_ids} />
                  )}
                </Stack>
              );
            },
          },
          { title: "Received", width: "9rem", cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
      />
      {open === "" ? null : <EventDrawer eventId={open} onClose={() => setOpen("")} />}
    </Section>
  );
}
