import { Select, Text } from "@mantine/core";
import { useState } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useWrite } from "../../../state/use-write.ts";
import { SecretDialog } from "../../../ui/dialogs/SecretDialog.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import type { Agent } from "../agent-draft.ts";

const overlaps = [
  { value: "86400", label: "For one more day" },
  { value: "3600", label: "For one more hour" },
  { value: "604800", label: "For one more week" },
  { value: "0", label: "Not any more" },
];

/** A new secret, shown once, while the old one is accepted for a while. */
export function RotateSecret({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const [overlap, setOverlap] = useState("86400");
  const rotate = useWrite("/latest/agents/{agent_id}/rotate_secret");
  const made = rotate.output;
  return (
    <SecretDialog
      title="Rotate the secret"
      action="Make a new secret"
      isRunning={rotate.isRunning}
      onSubmit={() => rotate.run({ agent_id: agent.agent_id, overlap_seconds: Number(overlap) })}
      made={made && { label: "Webhook secret", secret: made.webhook_secret }}
      note={
        made && (
          <Text size="sm">
            The old secret is accepted until <Time at={made.old_expires_at} exact />.
          </Text>
        )
      }
      onClose={onClose}
    >
      <ProblemNotice problem={rotate.problem} />
      <Text size="sm">A new secret is made and shown once. Give it to the sender before the old one ends.</Text>
      <Select
        label="The old secret is accepted"
        data={overlaps}
        value={overlap}
        onChange={(value) => value && setOverlap(value)}
        allowDeselect={false}
        data-autofocus
      />
    </SecretDialog>
  );
}
