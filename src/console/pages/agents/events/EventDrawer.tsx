import { Button, Group, Text } from "@mantine/core";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { ReadDrawer } from "../../../shell/ReadDrawer.tsx";
import { useRead } from "../../../state/use-read.ts";
import { useWrite } from "../../../state/use-write.ts";
import { JsonView } from "../../../ui/JsonView.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { eventChanges, signatureOf, statusOf } from "./describe-event.ts";
import { RunLinks } from "./RunLinks.tsx";

interface EventDrawerProps {
  eventId: string;
  onClose: () => void;
}

/** One event: what was sent, and what became of it. */
export function EventDrawer({ eventId, onClose }: EventDrawerProps) {
  const read = useRead("/latest/events/{event_id}/get", { event_id: eventId }, { every: 5_000 });
  const replay = useWrite("/latest/events/{event_id}/replay", {
    changes: [...eventChanges, "/latest/events/{event_id}/get"],
  });
  return (
    <ReadDrawer title={read.data?.type ?? "Event"} size="40rem" read={read} onClose={onClose}>
      {(event) => (
        <>
          <ProblemNotice problem={replay.problem} />
          <Notice tone={statusOf(event).tone}>{statusOf(event).sentence}</Notice>
          {event.run_ids.length > 0 ? <RunLinks runIds={event.run_ids} /> : null}
          <Text size="sm" c="dimmed">
            Received <Time at={event.created_at} exact />. {signatureOf(event).sentence}
          </Text>
          <Group>
            <Button
              variant="default"
              loading={replay.isRunning}
              onClick={() => replay.run({ event_id: event.event_id })}
            >
              Handle it again
            </Button>
            <Text size="sm" c="dimmed">
              By the current rules. It starts new runs.
            </Text>
          </Group>
          <JsonView value={event.body} label="What was sent" />
        </>
      )}
    </ReadDrawer>
  );
}
