import { Button, Checkbox, Group, NumberInput, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { OutputOf } from "../../../../client/wire.ts";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useEdits } from "../../../state/use-edits.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Confirm } from "../../../ui/dialogs/Confirm.tsx";
import { Section } from "../../../ui/Section.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { outside } from "../organization.ts";

type Policy = OutputOf<"/latest/organizations/retention/get">;
const kinds = ["runs", "events", "deliveries", "audit"] as const;
type Kind = (typeof kinds)[number];
type Days = Record<Kind, number | null>;

const titles: Record<Kind, { title: string; fewest: number; description: string }> = {
  runs: { title: "Runs", fewest: 7, description: "After they ended, with their steps, attempts and outputs." },
  events: { title: "Events", fewest: 7, description: "What agents received." },
  deliveries: { title: "Deliveries", fewest: 7, description: "What was sent to webhooks." },
  audit: { title: "Audit log", fewest: 90, description: "Always archived before rows are deleted." },
};

const daysOf = (policy: Policy): Days => ({
  runs: policy.runs.days,
  events: policy.events.days,
  deliveries: policy.deliveries.days,
  audit: policy.audit.days,
});

/** A shorter time deletes records that are there now. */
const isShorter = (after: number | null, before: number | null): boolean =>
  after !== null && (before === null || after < before);

export function RetentionForm({ policy }: { policy: Policy }) {
  const before = daysOf(policy);
  const exported = { runs: policy.runs.export, events: policy.events.export, deliveries: policy.deliveries.export };
  const { value: draft, edit } = useEdits("retention", { ...before, exported });
  const [isAsking, setAsking] = useState(false);
  const update = useWrite("/latest/organizations/retention/update", {
    ...outside,
    changes: ["/latest/organizations/retention/get"],
    onDone: () => setAsking(false),
  });
  const isChanged =
    kinds.some((kind) => draft[kind] !== before[kind]) || JSON.stringify(draft.exported) !== JSON.stringify(exported);
  const shorter = kinds.filter((kind) => isShorter(draft[kind], before[kind]));
  const save = () =>
    update.run({
      runs: { days: draft.runs, export: draft.exported.runs },
      events: { days: draft.events, export: draft.exported.events },
      deliveries: { days: draft.deliveries, export: draft.exported.deliveries },
      audit: { days: draft.audit },
    });
  return (
    <Section
      title="How long records are kept"
      lead="Records that are older are deleted within a day. Runs that have not ended, and what is on legal hold, stay."
    >
      <ProblemNotice problem={update.problem} />
      <Stack gap="md">
        {kinds.map((kind) => (
          <Group key={kind} align="end" gap="md">
            <NumberInput
              label={`${titles[kind].title}: days`}
              description={titles[kind].description}
              placeholder="For ever"
              min={titles[kind].fewest}
              max={3650}
              allowDecimal={false}
              value={draft[kind] ?? ""}
              onChange={(value) => edit({ [kind]: value === "" ? null : Number(value) })}
              flex="0 1 22rem"
            />
            {kind === "audit" ? null : (
              <Checkbox
                label="Archive before deleting"
                aria-label={`${titles[kind].title}: archive before deleting`}
                checked={draft.exported[kind]}
                onChange={(event) => edit({ exported: { ...draft.exported, [kind]: event.currentTarget.checked } })}
                mb={8}
              />
            )}
          </Group>
        ))}
        <Group gap="sm">
          <Button
            disabled={!isChanged}
            loading={update.isRunning}
            onClick={() => (shorter.length > 0 ? setAsking(true) : save())}
          >
            Save
          </Button>
          <Text size="sm" c="dimmed">
            {policy.updated_at ? (
              <>
                Changed by {policy.updated_by} <Time at={policy.updated_at} />
              </>
            ) : (
              "An empty field means for ever. These are the defaults."
            )}
          </Text>
        </Group>
      </Stack>
      <Confirm
        opened={isAsking}
        title="Delete older records?"
        action="Save and delete"
        isDangerous
        isRunning={update.isRunning}
        onConfirm={save}
        onClose={() => setAsking(false)}
      >
        <ProblemNotice problem={update.problem} />
        <Text size="sm">
          {shorter
            .map((kind) => `${titles[kind].title}: records older than ${draft[kind]} days are deleted.`)
            .join(" ")}{" "}
          This cannot be undone.
        </Text>
      </Confirm>
    </Section>
  );
}
