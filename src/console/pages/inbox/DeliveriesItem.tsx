import { Text } from "@mantine/core";
import type { OutputOf, Path } from "../../../client/wire.ts";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useWrite } from "../../state/use-write.ts";
import { JsonView } from "../../ui/JsonView.tsx";
import { Section } from "../../ui/Section.tsx";
import { Time } from "../../ui/times/Time.tsx";
import { DecisionChoices } from "../runs/decisions/DecisionChoices.tsx";

interface DeliveriesItemProps {
  failure: OutputOf<"/latest/webhooks/failures">["failures"][number];
  onDone: () => void;
}

const changes: Path[] = [
  "/latest/webhooks/failures",
  "/latest/webhooks/list",
  "/latest/webhooks/{webhook_id}/deliveries",
];

/** Events that an address did not take. They are sent again with the ids that they had. */
export function DeliveriesItem({ failure, onDone }: DeliveriesItemProps) {
  const { webhook_id, url, status, status_reason, failed, last } = failure;
  const replay = useWrite("/latest/webhooks/{webhook_id}/replay", { changes, onDone });
  const enable = useWrite("/latest/webhooks/{webhook_id}/update", {
    changes,
    onDone: () => replay.run({ webhook_id }),
  });
  const isDisabled = status === "disabled";
  const all = failed === 1 ? "The event is" : `All ${failed} events are`;
  return (
    <Section
      title={failed === 1 ? "1 event could not be delivered" : `${failed} events could not be delivered`}
      lead={<span className="anywhere">{url}</span>}
    >
      {isDisabled ? (
        <Text size="sm">
          The webhook was turned off: {status_reason ?? "somebody disabled it."} It receives nothing.
        </Text>
      ) : null}
      <Text size="sm">
        Last: <b>{last.type}</b>, <Time at={last.created_at} />, tried {last.attempts}{" "}
        {last.attempts === 1 ? "time" : "times"}.{" "}
        {last.response_status === null ? "" : `The address responded with status ${last.response_status}. `}
        {last.problem}
      </Text>
      <JsonView value={last.body} label="Event that was not delivered" />
      <ProblemNotice problem={enable.problem ?? replay.problem} />
      <DecisionChoices
        hasKeys
        refusal={null}
        choices={[
          {
            key: "s",
            label: isDisabled ? "Turn it on and send again" : "Send again",
            consequence: `${all} sent once more with the same id, so a receiver that has one already knows it.${isDisabled ? " The webhook also receives new events again." : ""}`,
            isMain: true,
            isRunning: enable.isRunning || replay.isRunning,
            onPress: () => (isDisabled ? enable.run({ webhook_id, status: "enabled" }) : replay.run({ webhook_id })),
          },
        ]}
      />
    </Section>
  );
}
