import { Select, Text } from "@mantine/core";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useDraft } from "../../../state/use-draft.ts";
import { useWrite } from "../../../state/use-write.ts";
import { SecretDialog } from "../../../ui/dialogs/SecretDialog.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { type ApiKey, nameOf } from "./describe-key.ts";
import { KeyHeader } from "./KeyHeader.tsx";

const overlaps = [
  { value: "0", label: "Stops at once" },
  { value: "3600", label: "Works for one more hour" },
  { value: "86400", label: "Works for one more day" },
  { value: "604800", label: "Works for one more week" },
];

/** Replaces a key. The old one keeps working for a while, so that no program stops in between. */
export function RerollKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const [overlap, setOverlap, clear] = useDraft(`reroll.${apiKey.key_id}`, "86400");
  const reroll = useWrite("/latest/auth/keys/reroll", {
    outsideProject: true,
    changes: ["/latest/auth/keys/list"],
    onDone: clear,
  });
  const made = reroll.output;
  return (
    <SecretDialog
      title={`Re-roll ${nameOf(apiKey)}`}
      action="Make the new key"
      isRunning={reroll.isRunning}
      onSubmit={() => reroll.run({ key_id: apiKey.key_id, overlap_seconds: Number(overlap) })}
      made={made && { label: "Your new API key", secret: made.api_key }}
      note={
        made && (
          <>
            <Text size="sm">
              The old key stops working at <Time at={made.old_expires_at} exact />.
            </Text>
            <KeyHeader />
          </>
        )
      }
      onClose={() => {
        clear();
        onClose();
      }}
    >
      <ProblemNotice problem={reroll.problem} />
      <Text size="sm">The new key has the same projects, role and lifetime.</Text>
      <Select
        label="The old key"
        data={overlaps}
        value={overlap}
        allowDeselect={false}
        onChange={(value) => value && setOverlap(value)}
      />
    </SecretDialog>
  );
}
